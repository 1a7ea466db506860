import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { dataUrl } from '../../service/base.ts';
import { RequestFailure } from '../../service/failure.ts';
import type { EntitySet } from '../../service/metadata.ts';
import { type JsonAnswer, requestJson } from '../../service/request.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import type { FormConfiguration } from '../screen.ts';
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
  const { exclude } = configuration.inputs;
  const type = useMemo(() => withoutExcluded(entitySet.type, exclude), [entitySet, exclude]);
  const [draft, setDraft] = useState(() => emptyStructure(type));
  const [attempts, setAttempts] = useState(0);
  const create = useCreate(target);
  const reading = readStructure(type, draft);
  const form = useFirstProblem(attempts, create.error);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAttempts(attempts + 1);
    create.reset();
    if (Object.keys(reading.problems).length === 0) create.mutate(reading.json ?? '{}');
  };
  const change = (next: StructureDraft): void => {
    setDraft(next);
    if (create.isError) create.reset();
  };
  const again = (): void => {
    setDraft(emptyStructure(type));
    setAttempts(0);
    create.reset();
  };
  if (create.isSuccess) {
    const { buttons } = configuration;
    return <CreatedEntity answer={create.data} entitySet={entitySet} buttons={buttons} again={again} />;
  }
  // What is wrong is told when one has tried, and then as one types.
  const problems = attempts > 0 ? reading.problems : {};
  return (
    <form className="form card" ref={form} onSubmit={submit} aria-label={title} noValidate>
      <FormFailure error={create.error} isAtField={(target) => inputPath(draft, target) !== undefined} />
      <AutoInputs
        type={type}
        draft={draft}
        problems={{ ...mistakesAt(create.error, draft), ...problems }}
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
function useFirstProblem(attempts: number, error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (attempts === 0 && error === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], .problem[tabindex]')?.focus();
  }, [attempts, error]);
  return form;
}
