import type { Row } from '../../../contract/row.ts';
import { argumentValue } from '../../../engine/bind/argument-value.ts';
import { filteredBy } from '../../../engine/read/prepare-query.ts';
import type { PathContext } from '../../../engine/resource/bind-callable.ts';
import { entityByKey, primitiveLiteral } from '../../../engine/resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../../../engine/resource/resource.ts';
import type { Argument, Expression } from '../../../engine/tree/query-tree.ts';
import { type EntityType, ofLineage } from '../../../model/edm.ts';

/**
 * Binds an alternate key (Part 2, 4.3.5), whose values are always named; undefined if the names match no
 * alternate key. No operation reads by it: the collection is searched.
 */
export function bindAlternateKey(
  site: PathContext,
  collection: CollectionResource,
  predicate: readonly Argument[],
): EntityResource | undefined {
  const { type } = collection;
  const names = new Set(predicate.map(({ name }) => name));
  const key = ofLineage(type, ({ alternateKeys }) =>
    alternateKeys?.find((parts) => parts.length === names.size && parts.every((part) => names.has(part))),
  );
  if (key === undefined) return undefined;
  const known = alternateValues(site, type, predicate);
  const found = filteredBy(site, collection, allEqual(predicate));
  return {
    ...entityByKey(found, known),
    url: `${collection.url}(${key.map((name) => writtenPart(type, name, known)).join(',')})`,
    known,
    origin: { kind: 'only', collection: found },
  };
}

/** A value that the property cannot have is a BadRequest, as in the primary key. */
function alternateValues(site: PathContext, type: EntityType, predicate: readonly Argument[]): Row {
  const values = predicate.flatMap(({ name = '', value }) => {
    const property = type.structuralProperties.get(name);
    if (property === undefined) return [];
    const use = { ...property, nullable: false };
    return [[name, argumentValue(site, use, value, `Key of ${type.name}, ${name}`)] as const];
  });
  return Object.fromEntries(values);
}

function writtenPart({ structuralProperties, namespace }: EntityType, name: string, values: Row): string {
  const type = structuralProperties.get(name)?.type;
  const literal = type === undefined ? '' : primitiveLiteral(namespace, type, values[name] ?? null);
  return `${name}=${encodeURIComponent(literal)}`;
}

/** The predicate as a filter, which the upstream may apply. */
function allEqual(predicate: readonly Argument[]): Expression {
  return predicate.map(equal).reduce((left, right) => ({
    kind: 'binary',
    operator: 'and',
    position: right.position,
    left,
    right,
  }));
}

function equal({ name = '', position, value }: Argument): Expression {
  const segment = { kind: 'name', position, name, arguments: undefined } as const;
  const left = { kind: 'path', position, root: undefined, segments: [segment] } as const;
  return { kind: 'binary', operator: 'eq', position, left, right: value };
}
