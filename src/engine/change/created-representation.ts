import { PARTIAL, type Row } from '../../contract/row.ts';

/**
 * An entity that was created, as the upstream's answer describes it: what that leaves out is null. Of an upstream that
 * says nothing but where the entity is, or not even that, it is known what it was sent.
 */
export function createdRepresentation(
  answered: Row | undefined,
  properties: readonly string[],
  sent: Row,
): Row {
  if (answered !== undefined && answered[PARTIAL] !== true) return answered;
  return { ...Object.fromEntries(properties.map((name) => [name, sent[name] ?? null])), ...answered };
}

/**
 * Completes a row by what others refer to, as URLs do to its key: that must be known, whether or not the upstream
 * repeats it.
 */
export function completed(needed: readonly string[], row: Row, sent: Row): Row {
  const missing = needed.filter((name) => (row[name] ?? null) === null);
  return { ...row, ...Object.fromEntries(missing.map((name) => [name, sent[name] ?? null])) };
}
