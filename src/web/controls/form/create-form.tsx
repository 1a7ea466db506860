import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { dataUrl } from '../../service/base.ts';
import { RequestFailure } from '../../service/failure.ts';
import type { EntitySet } from '../../service/metadata.ts';
import { type JsonAnswer, requestJson } from '../../service/request.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import type { AutoInput, FormConfiguration } from '../screen.ts';
import { AutoInputs, withoutExcluded } from './auto-inputs.tsx';
import { CreatedEntity } from './created-entity.tsx';
import { emptyStructure, inputPath, type StructureDraft } from './draft.ts';
import { FormButtons } from './form-buttons.tsx';
import { type Problems, readStructure } from './read-draft.ts';

interface CreateFormProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly target: string;
  readonly title: string;
}

/** Creates an entity, and then tells what the service answered. */
export function CreateForm({ configuration, entitySet, target, title }: CreateFormProps) {
  const { inputs, buttons } = configuration;
  const { type, draft, problems, change, submit, again, create } = useCreation(entitySet, target, inputs);
  const form = useFirstProblem(problems, create.error);
  if (create.isSuccess) {
    return <CreatedEntity answer={create.data} entitySet={entitySet} buttons={buttons} again={again} />;
  }
  return (
    <form className="form card" ref={form} onSubmit={submit} aria-label={title} noValidate>
      <FormFailure error={create.error} isAtField={(target) => inputPath(draft, target) !== undefined} />
      <AutoInputs
        type={type}
        draft={draft}
        problems={{ ...mistakesAt(create.error, draft), ...problems.found }}
        onChange={change}
      />
      <FormButtons buttons={buttons} isBusy={create.isPending} />
    </form>
  );
}

/** What is wrong with the inputs; it is told when one has tried to send them, and then as one types. */
interface Attempted {
  readonly attempts: number;
  readonly found: Problems;
}

/** What has been put in so far, and what is done with it. */
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
  const submit = (event: FormEvent): void => {
    event.preventDefault();
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
      requestJson(dataUrl(target), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['entities'] }),
  });
}

/** What the service says of properties that have an input here, by the inputs' paths. */
function mistakesAt(error: Error | null, draft: StructureDraft): Problems {
  if (!(error instanceof RequestFailure)) return {};
  return Object.fromEntries(
    error.mistakes.flatMap(({ target, message }) => {
      const path = inputPath(draft, target);
      return path === undefined ? [] : [[path, message]];
    }),
  );
}

/** Leads to the first input of the form that an attempt, or the answer to it, found something wrong with. */
function useFirstProblem({ attempts }: Attempted, error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (attempts === 0 && error === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], .problem[tabindex]')?.focus();
  }, [attempts, error]);
  return form;
}
