import type { Transformation } from '../../engine/tree/apply-tree.ts';
import type { AggregateItem } from '../../engine/tree/expression-tree.ts';
import { memberOf } from '../context/face.ts';
import { nameSegment, path } from './expressions.ts';
import type { AskedField } from './selection.ts';

/** Fields of a group to the methods of `$apply` (Data Aggregation 4.0, 3.2.1.3). */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['sum', 'sum'],
  ['average', 'average'],
  ['min', 'min'],
  ['max', 'max'],
  ['countDistinct', 'countdistinct'],
]);

/** How many entities there are. */
export const COUNTING: AggregateItem = {
  expression: undefined,
  method: undefined,
  from: [],
  alias: 'count',
  position: 0,
};

/** Under which name a group has an aggregate; no property has one like it. */
export function aggregateName(method: string, property: string): string {
  return `${method} ${property}`;
}

/** The aggregates that a field of a group asks for: `sum { price }`. */
export function aggregatesOf(field: string, properties: readonly AskedField[]): readonly AggregateItem[] {
  const method = METHODS.get(field);
  if (method === undefined) return [];
  return properties.flatMap(({ field: asked }) => {
    const member = memberOf(asked);
    if (member?.kind !== 'property') return [];
    const { name } = member.property;
    return [
      {
        expression: path([nameSegment(name)]),
        method,
        from: [],
        alias: aggregateName(field, name),
        position: 0,
      },
    ];
  });
}

/** One group for each combination of the properties' values; one of all where there are none. */
export function aggregation(by: readonly string[], items: readonly AggregateItem[]): Transformation {
  const aggregate = { kind: 'aggregate', items, position: 0 } as const;
  if (by.length === 0) return aggregate;
  const grouping = [...new Set(by)].map((name) => ({ rollup: false, paths: [[name]], position: 0 }));
  const then = [aggregate];
  return { kind: 'groupby', items: grouping, then, position: 0 };
}
