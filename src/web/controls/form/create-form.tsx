import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { dataUrl } from '../../service/base.ts';
import { RequestFailure } from '../../service/failure.ts';
import type { EntitySet } from '../../service/metadata.ts';
import { type JsonAnswer, requestJson } from '../../service/request.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import type { FormConfiguration } from '../screen.ts';
import { AutoInputs, includedProperties } from './auto-inputs.tsx';
import { CreatedEntity } from './created-entity.tsx';
import { type Draft, emptyDraft, inputPath, type Problems, readDraft } from './draft.ts';
import { FormButtons } from './form-buttons.tsx';

interface CreateFormProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly target: string;
  readonly title: string;
}

/** Creates an entity, and then tells what the service answered. */
export function CreateForm({ configuration, entitySet, target, title }: CreateFormProps) {
  const properties = includedProperties(entitySet.properties, configuration.inputs.exclude).filter(
    ({ computed }) => !computed,
  );
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(properties));
  const [problems, setProblems] = useState<Problems>({});
  const form = useRef<HTMLFormElement>(null);
  const create = useCreate(target);
  const mistakes = mistakesAt(create.error, draft);
  const [attempts, setAttempts] = useState(0);
  useFirstProblem(form, attempts, create.error);

  if (create.isSuccess) {
    const again = (): void => {
      setDraft(emptyDraft(properties));
      create.reset();
    };
    return (
      <CreatedEntity
        answer={create.data}
        entitySet={entitySet}
        buttons={configuration.buttons}
        again={again}
      />
    );
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const reading = readDraft(properties, draft);
    setProblems(reading.problems);
    setAttempts(attempts + 1);
    create.reset();
    if (Object.keys(reading.problems).length === 0) create.mutate(reading.json);
  };
  const change = (path: string, text: string): void => {
    setDraft({ ...draft, [path]: text });
    const { [path]: _, ...others } = problems;
    setProblems(others);
    if (create.isError) create.reset();
  };
  return (
    <form className="form card" ref={form} onSubmit={submit} aria-label={title} noValidate>
      <FormFailure error={create.error} isAtField={(target) => inputPath(draft, target) !== undefined} />
      <AutoInputs
        properties={properties}
        draft={draft}
        problems={{ ...mistakes, ...problems }}
        onChange={change}
      />
      <FormButtons buttons={configuration.buttons} isBusy={create.isPending} />
    </form>
  );
}

function useCreate(target: string) {
  const client = useQueryClient();
  return useMutation<JsonAnswer, Error, string>({
    mutationFn: (body) =>
      requestJson(dataUrl(target), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['entities'] }),
  });
}

/** What the service says of properties that have an input here, by the inputs' paths. */
function mistakesAt(error: Error | null, draft: Draft): Problems {
  if (!(error instanceof RequestFailure)) return {};
  return Object.fromEntries(
    error.mistakes.flatMap(({ target, message }) => {
      const path = inputPath(draft, target);
      return path === undefined ? [] : [[path, message]];
    }),
  );
}

/** Leads to the first input that an attempt, or the answer to it, found something wrong with. */
function useFirstProblem(
  form: { readonly current: HTMLFormElement | null },
  attempts: number,
  error: Error | null,
): void {
  useEffect(() => {
    if (attempts > 0 || error !== null) {
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
  }, [attempts, error, form]);
}
