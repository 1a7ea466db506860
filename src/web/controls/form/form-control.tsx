import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { type Entity, fillTargetUrl, isEntity, typeOfEntity } from '../../service/entity.ts';
import type { EntitySet, Property, StructuredType } from '../../service/metadata.ts';
import {
  dataUrl,
  type JsonAnswer,
  RequestFailure,
  requestAnswer,
  requestJson,
} from '../../service/request.ts';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingFields } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { ActionButton, Form } from '../inputs.tsx';
import type { AutoInput, ButtonConfiguration, FormConfiguration } from '../screen.ts';
import {
  emptyStructure,
  inputPath,
  itemProperty,
  type Problems,
  readStructure,
  type StructureDraft,
} from './draft.ts';
import { hasLines } from './input-field.tsx';
import { describeValue } from './input-value.ts';
import { AutoInputs, GroupField, withoutExcluded } from './property-input.tsx';
import { ReferencesContext, RelatedLink, useReference } from './reference-input.tsx';

interface FormControlProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly title: string;
}

/** A form for the resource of its target URL: reads an entity, or creates one in a collection. */
export function FormControl({ configuration, entitySet, title }: FormControlProps) {
  const [parameters] = useSearchParams();
  const target = fillTargetUrl(configuration.targetUrl, parameters);
  if (target === undefined) {
    return (
      <Notice title={`No ${entitySet.name} chosen`}>
        <p>Choose one from the list.</p>
      </Notice>
    );
  }
  return (
    <ReferencesContext value={entitySet.references}>
      {configuration.inputs.readOnly ? (
        <EntityForm configuration={configuration} entitySet={entitySet} target={target} />
      ) : (
        <CreateForm configuration={configuration} entitySet={entitySet} target={target} title={title} />
      )}
    </ReferencesContext>
  );
}

interface CreateFormProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly target: string;
  readonly title: string;
}

/** Creates an entity and shows the response. */
function CreateForm({ configuration, entitySet, target, title }: CreateFormProps) {
  const { inputs, buttons } = configuration;
  const { type, draft, problems, change, submit, again, create } = useCreation(entitySet, target, inputs);
  const form = useFirstProblem(problems, create.error);
  if (create.isSuccess) {
    return <CreatedEntity answer={create.data} entitySet={entitySet} buttons={buttons} again={again} />;
  }
  return (
    <Form
      className="form card"
      ref={form}
      submit={submit}
      error={create.error}
      isAtField={(target) => inputPath(draft, target) !== undefined}
      aria-label={title}
      noValidate
    >
      <AutoInputs
        type={type}
        draft={draft}
        problems={{ ...mistakesAt(create.error, draft), ...problems.found }}
        onChange={change}
      />
      <FormButtons buttons={buttons} isBusy={create.isPending} />
    </Form>
  );
}

/** The errors in the inputs, shown after the first attempt to submit and then while typing. */
interface Attempted {
  readonly attempts: number;
  readonly found: Problems;
}

/** The state of a form and its actions. */
function useCreation({ type: whole }: EntitySet, target: string, { exclude }: AutoInput) {
  const type = useMemo(() => withoutExcluded(whole, exclude), [whole, exclude]);
  const [draft, setDraft] = useState(() => emptyStructure(type));
  const [attempts, setAttempts] = useState(0);
  const create = useCreate(target);
  const reading = readStructure(type, draft);
  const start = (next: StructureDraft, tried: number): void => {
    setDraft(next);
    setAttempts(tried);
    create.reset();
  };
  const submit = (): void => {
    start(draft, attempts + 1);
    if (Object.keys(reading.problems).length === 0) create.mutate(reading.json ?? '{}');
  };
  const problems: Attempted = { attempts, found: attempts > 0 ? reading.problems : {} };
  const change = (next: StructureDraft): void => start(next, attempts);
  const again = (): void => start(emptyStructure(type), 0);
  return { type, draft, problems, change, submit, again, create };
}

function useCreate(target: string) {
  const client = useQueryClient();
  return useMutation<JsonAnswer, Error, string>({
    mutationFn: (body) =>
      requestAnswer(dataUrl(target), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['entities'] }),
  });
}

/** Errors of the service for properties with an input, by path. */
function mistakesAt(error: Error | null, draft: StructureDraft): Problems {
  if (!(error instanceof RequestFailure)) return {};
  return Object.fromEntries(
    error.mistakes.flatMap(({ target, message }) => {
      const path = inputPath(draft, target);
      return path === undefined ? [] : [[path, message]];
    }),
  );
}

/** Focuses the first input with an error after an attempt or its response. */
function useFirstProblem({ attempts }: Attempted, error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (attempts === 0 && error === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], .problem[tabindex]')?.focus();
  }, [attempts, error]);
  return form;
}

interface CreatedEntityProps {
  readonly answer: JsonAnswer;
  readonly entitySet: EntitySet;
  readonly buttons: readonly ButtonConfiguration[];
  readonly again: () => void;
}

/** The response to a create. */
function CreatedEntity({ answer, entitySet, buttons, again }: CreatedEntityProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const leave = buttons.find(({ navigateUrl }) => navigateUrl !== undefined)?.navigateUrl;
  return (
    <div className="form card">
      <div className="banner good" role="status">
        <h2 ref={heading} tabIndex={-1}>
          {entitySet.typeName} created
        </h2>
        <p>
          The service answered {answer.status} with the data below. The API decides what it stores, so the
          list may not contain it.
        </p>
      </div>
      {isEntity(answer.body) && <ReadOnlyFields type={entitySet.type} entity={answer.body} />}
      <div className="buttons">
        {leave !== undefined && (
          <Link to={leave} relative="path" className="button primary">
            Done
          </Link>
        )}
        <button type="button" onClick={again}>
          Add another
        </button>
      </div>
    </div>
  );
}

interface FormButtonsProps {
  readonly buttons: readonly ButtonConfiguration[];
  readonly isBusy: boolean;
}

function FormButtons({ buttons, isBusy }: FormButtonsProps) {
  if (buttons.length === 0) return null;
  return (
    <div className="buttons">
      {buttons.map((button) =>
        button.navigateUrl === undefined ? (
          <ActionButton key={button.label} label={button.label} doing="Sending …" isPending={isBusy} />
        ) : (
          <Link key={button.label} to={button.navigateUrl} relative="path" className="button">
            {button.label}
          </Link>
        ),
      )}
    </div>
  );
}

interface EntityFormProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly target: string;
}

function EntityForm({ configuration, entitySet, target }: EntityFormProps) {
  const entity = useQuery({
    queryKey: ['entity', target],
    queryFn: ({ signal }) => requestJson(dataUrl(target), { signal }),
  });
  const type = withoutExcluded(entitySet.type, configuration.inputs.exclude);
  const pending = <LoadingFields count={type.properties.length} />;
  return (
    <Loaded query={entity} what={entitySet.typeName} pending={pending}>
      {(data) => (
        <div className="form card">
          <ReadOnlyFields type={type} entity={isEntity(data) ? data : {}} />
        </div>
      )}
    </Loaded>
  );
}

interface ReadOnlyFieldsProps {
  readonly type: StructuredType;
  readonly entity: Entity;
  /** The path of the value in the entity, with a trailing slash; empty for the entity itself. */
  readonly path?: string;
}

/** Read-only inputs for the properties of the entity's type. */
function ReadOnlyFields({ type, entity, path = '' }: ReadOnlyFieldsProps) {
  const shown = typeOfEntity(entity, type).properties.filter(({ writeOnly }) => !writeOnly);
  return shown.map((property) => (
    <ReadOnlyProperty
      key={property.name}
      property={property}
      value={entity[property.name]}
      path={path + property.name}
    />
  ));
}

interface ReadOnlyPropertyProps {
  readonly property: Property;
  readonly value: unknown;
  readonly path: string;
}

function ReadOnlyProperty({ property, value, path }: ReadOnlyPropertyProps) {
  const { type, isCollection, label } = property;
  if (type.kind !== 'complex' || value === null)
    return <ReadOnlyField property={property} value={value} path={path} />;
  const item = itemProperty(property);
  return (
    <GroupField property={property} problem={undefined}>
      {isEntity(value) && <ReadOnlyFields type={type.structure} entity={value} path={`${path}/`} />}
      {isCollection &&
        Array.isArray(value) &&
        value.map((one, index) => {
          const name = `${label} ${index + 1}`;
          const at = `${path}/${index}`;
          return <ReadOnlyProperty key={name} property={{ ...item, label: name }} value={one} path={at} />;
        })}
    </GroupField>
  );
}

function ReadOnlyField({ property, value, path }: ReadOnlyPropertyProps) {
  const id = useId();
  const reference = useReference(path);
  const text = describeValue(property, value);
  const attributes = { id, readOnly: true, value: text, placeholder: 'No value' };
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {property.label}
      </label>
      {hasLines(property) && text !== '' ? (
        <textarea {...attributes} rows={text.split('\n').length} />
      ) : (
        <input type="text" {...attributes} />
      )}
      {reference !== undefined && <RelatedLink reference={reference} value={value} />}
    </div>
  );
}
