import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { mapped } from '../../contract/work.ts';
import type { NavigationProperty } from '../../model/edm.ts';
import type { EntityResource } from '../resource/resource.ts';
import { type BoundExpand, expandedName } from './bind-expand.ts';
import type { Expanded, ExpandLoading, InstanceOf } from './expander.ts';

/** Loads what stands within the complex values of entities; what comes back makes of a row one that has it. */
type WithinLoader = (
  loading: ExpandLoading,
  entities: readonly EntityResource[],
  instanceOf: InstanceOf,
) => Promise<(row: Row) => Row>;

/** The names that lead on from a value to those that have something expanded. */
interface Steps extends ReadonlyMap<string, Steps> {}

/** What has been expanded in complex values, by the values as they were. */
type Additions = ReadonlyMap<Value, Row>;

/**
 * Expands navigation properties of complex values (Part 2, 5.1.3): each value that has one is the owner of what is
 * expanded there. Undefined where there are none.
 */
export function expandWithin(expanded: readonly Expanded[]): WithinLoader | undefined {
  if (expanded.length === 0) return undefined;
  const steps = stepsOf(expanded.map(({ item }) => item.bound.within));
  return async (loading, entities, instanceOf) => {
    const additions = new Map<Value, Row>();
    const columns = await Promise.all(expanded.map((each) => expandOne(each, loading, entities, instanceOf)));
    for (const [index, column] of columns.entries()) {
      const bound = expanded[index]?.item.bound;
      if (bound === undefined) continue;
      for (const [holder, value] of column) {
        additions.set(holder, { ...additions.get(holder), [expandedName(bound)]: value });
      }
    }
    return (row) => withAdditions(row, steps, additions) as Row;
  };
}

function stepsOf(paths: readonly (readonly string[])[]): Steps {
  const firsts = new Set(paths.flatMap(([first]) => first ?? []));
  return new Map(
    [...firsts].map((first) => [
      first,
      stepsOf(paths.filter(([name]) => name === first).map(([, ...rest]) => rest)),
    ]),
  );
}

/** What one property leads to, for each of the values that have it. */
async function expandOne(
  { item: { bound }, expand }: Expanded,
  loading: ExpandLoading,
  entities: readonly EntityResource[],
  instanceOf: InstanceOf,
): Promise<ReadonlyMap<Value, Value>> {
  const { budget } = loading.context;
  const owners = new Map<EntityResource, EntityResource>();
  const holders: Value[] = [];
  const note = (entity: EntityResource): void => {
    for (const holder of valuesAt(entity.known, bound.within)) {
      owners.set(asOwner(entity, bound, holder), entity);
      holders.push(holder);
    }
  };
  await budget.run(mapped(entities, budget, note));
  // The values have no place of their own that a link to another page could lead to.
  const whole = { ...loading, pages: undefined };
  const found = await expand(whole, [...owners.keys()], (owner) => instanceOf(owners.get(owner) ?? owner));
  return new Map(holders.flatMap((holder, index) => entryOf(holder, found[index])));
}

function entryOf(holder: Value, found: Value | undefined): readonly (readonly [Value, Value])[] {
  return found === undefined ? [] : [[holder, found]];
}

/** The complex values at the end of a path, in each item of the collections on it. */
function valuesAt(value: Value | undefined, [name, ...rest]: readonly string[]): readonly Row[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name, ...rest].filter(isName)));
  if (typeof value !== 'object' || value === null) return [];
  return name === undefined ? [value as Row] : valuesAt((value as Row)[name], rest);
}

function isName(name: string | undefined): name is string {
  return name !== undefined;
}

/** A complex value as what its navigation properties lead on from. */
function asOwner(entity: EntityResource, { within, navigation }: BoundExpand, holder: Row): EntityResource {
  const { [TYPE]: _, ...values } = holder;
  const type = entity.known[TYPE];
  return {
    ...entity,
    path: [entity.path, ...within].join('/'),
    url: [entity.url, ...within.map(encodeURIComponent)].join('/'),
    known: {
      [navigation.name]: nothingOf(navigation),
      ...values,
      ...(type !== undefined && { [TYPE]: type }),
    },
  };
}

function nothingOf({ collection }: NavigationProperty): Value {
  return collection ? [] : null;
}

function withAdditions(value: Value, steps: Steps, additions: Additions): Value {
  if (Array.isArray(value)) return value.map((item) => withAdditions(item, steps, additions));
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  const changed: Record<string, Value> = { ...row, ...additions.get(value) };
  for (const [name, further] of steps) {
    const inner = row[name];
    if (inner !== undefined) changed[name] = withAdditions(inner, further, additions);
  }
  return changed as Value;
}
