import type { EntitySet } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import { requiredFilter } from '../model/required-filter.ts';
import type { Samples } from './sample-queries.ts';

/** What it takes to have a program read an entity set, by either face. */
export interface Connection {
  /** What a key must let it view: the set itself, and those whose entities have its lists. */
  readonly entitySets: readonly string[];
  /** The properties whose values each request must fix by a filter. */
  readonly filteredBy?: readonly string[];
  /** Its first entities, in GraphQL. */
  readonly query?: string;
}

type Connections = ReadonlyMap<string, Connection>;

/** How programs read each entity set that can be listed, by the part of the model that somebody may know of. */
export function connectionsOf(samples: Samples): (visible: Model) => Connections {
  const known = new WeakMap<Model, Connections>();
  return (visible) => {
    const found = known.get(visible) ?? connectionsIn(visible, samples);
    known.set(visible, found);
    return found;
  };
}

function connectionsIn(model: Model, samples: Samples): Connections {
  const listed = [...model.entitySets.values()].filter(({ list }) => list !== undefined);
  return new Map(listed.map((set) => [set.name, connectionOf(model, set, samples)]));
}

function connectionOf(model: Model, set: EntitySet, samples: Samples): Connection {
  const filteredBy = requiredFilter(set.list ?? {}).map(({ property }) => property);
  const [first] = filteredBy.length === 0 ? samples(model, set) : [];
  return {
    entitySets: readWith(model, set.name),
    ...(filteredBy.length > 0 && { filteredBy }),
    ...(first !== undefined && { query: first.query }),
  };
}

/** The set itself, and those whose entities have its lists, which are read before it. */
function readWith({ entitySets }: Model, name: string): readonly string[] {
  const names = new Set<string>();
  for (let next: string | undefined = name; next !== undefined && !names.has(next); ) {
    names.add(next);
    next = ownersOf(entitySets.get(next));
  }
  return [...names];
}

function ownersOf(set: EntitySet | undefined): string | undefined {
  const over = set?.list?.over;
  return over?.hidden === true ? undefined : over?.entitySet;
}
