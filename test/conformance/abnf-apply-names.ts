import { type Constraints, matches } from './abnf-roles.ts';
import { type Json, listOf, wrongPath } from './abnf-segments.ts';

/** Only a custom aggregate does without a method; an alias is a new name. */
export function* wrongAggregates({ items }: Json, constraints: Constraints): Generator<string> {
  for (const { expression, method, alias } of listOf(items)) {
    const last = listOf((expression as Json | undefined)?.['segments']).at(-1);
    const isPlain = method === undefined && last?.['kind'] === 'name';
    if (isPlain && !matches(constraints, 'customAggregate', String(last?.['name'])))
      yield String(last?.['name']);
    if (alias !== undefined && !matches(constraints, 'expressionAlias', String(alias))) yield String(alias);
  }
}

/** A grouping property has one value for each instance. A leveled hierarchy's name has no rule of its own. */
export function* wrongGroupings({ items }: Json, constraints: Constraints): Generator<string> {
  for (const { paths = [], rollup } of listOf(items)) {
    const isNamed = rollup === true && (paths as readonly unknown[]).length === 1;
    if (!isNamed)
      for (const path of paths as readonly (readonly string[])[]) yield* wrongPath(path, constraints, false);
  }
}

export function* wrongCollection(path: readonly string[], constraints: Constraints): Generator<string> {
  const places = yield* wrongPath(path, constraints, false);
  if (!places.has('entities') && !places.has('complexes')) yield path.at(-1) ?? '';
}
