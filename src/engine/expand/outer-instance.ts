import type { Row } from '../../contract/row.ts';
import { type Work, within } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import { callFor } from '../load/attach-calls.ts';
import { attachRelated, propertiesFor } from '../load/attach-related.ts';
import { relatedResources } from '../load/related-resources.ts';
import { declaredNames } from '../query/projection.ts';
import type { Loading } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { variableOf } from '../scope/bound-tree.ts';
import type { OuterInstance } from '../scope/scope.ts';
import { qualifiedName } from '../typing/model-type.ts';
import type { Expander, InstanceOf, NestedExpander } from './expander.ts';

/** Nothing is known to be read of it before the options within `$expand` are compiled. */
export function outerInstance(type: EntityType): OuterInstance {
  return {
    variable: variableOf(qualifiedName(type), 0),
    properties: new Set(),
    related: new Map(),
    calls: new Map(),
  };
}

/** Runs what is about `$it`, which compiled queries do not keep. */
export function withInstance<Result>(
  { variable: { cell } }: OuterInstance,
  row: Row,
  begin: () => Work<Result>,
): Work<Result> {
  return within(
    () => {
      cell.value = row;
    },
    () => {
      cell.value = null;
    },
    begin,
  );
}

/** The expander whose entities are `$it` in all options within it: they must have what those read. */
export function outermost(type: EntityType, nested: NestedExpander, outer: OuterInstance): Expander {
  const declared = declaredNames(type);
  const { properties, related } = outer;
  const read = [...properties];
  const needed = [
    ...nested.properties,
    ...read.filter((name) => declared.has(name)),
    ...propertiesFor(type, related),
  ];
  return {
    ...nested,
    properties: [...new Set(needed)],
    dynamic: read.some((name) => !declared.has(name)),
    resources: [...nested.resources, ...relatedResources({ related })],
    async expand(loading, entities) {
      return nested.expand(loading, entities, await instancesOf(loading, entities, outer));
    },
  };
}

async function instancesOf(
  loading: Loading,
  entities: readonly EntityResource[],
  { related, calls = new Map() }: OuterInstance,
): Promise<InstanceOf> {
  if (related.size === 0 && calls.size === 0) return ({ known }) => known;
  const rows = await attachRelated(loading, entities, related);
  const places = new Map(entities.map((entity, index) => [rows[index] ?? entity.known, entity]));
  const called = await callFor(loading, places, [...calls.values()]);
  const instances = new Map([...places].map(([row, entity]) => [entity, called.get(row) ?? row]));
  return (entity) => instances.get(entity) ?? entity.known;
}
