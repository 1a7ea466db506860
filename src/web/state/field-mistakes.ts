import { RequestFailure } from '../service/failure.ts';

/** What the service says of the fields of a form, by their names. */
export function fieldMistakes<Name extends string>(
  error: Error | null,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const mistakes = error instanceof RequestFailure ? error.mistakes : [];
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const mistake = mistakes.find(({ target }) => target === name);
    if (mistake !== undefined) found[name] = mistake.message;
  }
  return found;
}
