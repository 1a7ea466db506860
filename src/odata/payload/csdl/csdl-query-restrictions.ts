import type { EntitySet, EntityType, StructuralProperty } from '../../../model/edm.ts';
import { isA } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { ListOperation, OperationParameter } from '../../../model/operation.ts';
import { isReadable } from '../../../model/readable-property.ts';
import { requiredFilter } from '../../../model/required-filter.ts';
import { isComparable } from '../../../model/type-use.ts';
import { type Annotation, bool, paths, record } from './csdl-annotation.ts';
import { restriction } from './csdl-restriction.ts';

/** Nothing where a set can be read as a whole and by key: that is what the vocabulary takes for granted. */
export function readRestrictions({ list, read }: EntitySet): readonly Annotation[] {
  if (list !== undefined && read !== undefined) return [];
  const byKey = record({ Readable: bool(read !== undefined) });
  const properties = { Readable: bool(list !== undefined), ReadByKeyRestrictions: byKey };
  return [restriction('ReadRestrictions', properties)];
}

/** Which properties `$filter` and `$orderby` cannot take, and what `$expand` can. */
export function queryRestrictions(
  model: Model,
  type: EntityType,
  list: Pick<ListOperation, 'fixed' | 'over'> = {},
): readonly Annotation[] {
  const { structuralProperties } = type;
  const properties = [...structuralProperties.values()].filter(({ aliasOf }) => aliasOf === undefined);
  const unfiltered = properties.filter((property) => !isReadable(property));
  const unsorted = properties.filter((property) => !isSortable(property));
  return [
    ...filterRestrictions(unfiltered, requiredFilter(list)),
    ...without('SortRestrictions', 'NonSortableProperties', unsorted),
    ...expandRestrictions(model, type),
  ];
}

/** Streams can be expanded where entities have them, those of derived types among them; there is no saying so else. */
export function expandRestrictions(model: Model, type: EntityType): readonly Annotation[] {
  const types = [...model.entityTypes.values()].filter((other) => isA(other, type));
  const streams = types.flatMap(({ stream, streams: others }) => [stream, ...(others?.values() ?? [])]);
  const hasStreams = streams.some((stream) => stream?.get !== undefined);
  return hasStreams ? [restriction('ExpandRestrictions', { StreamsExpandable: bool(true) })] : [];
}

/** Where a list has parameters that only a filter can give, there is no read without one. */
function filterRestrictions(
  unfiltered: readonly StructuralProperty[],
  fixed: readonly OperationParameter[],
): readonly Annotation[] {
  if (fixed.length === 0) return without('FilterRestrictions', 'NonFilterableProperties', unfiltered);
  const names = unfiltered.map(({ name }) => name);
  return [
    restriction('FilterRestrictions', {
      RequiresFilter: bool(true),
      RequiredProperties: paths(fixed.map(({ property }) => property)),
      ...(names.length > 0 && { NonFilterableProperties: paths(names) }),
    }),
  ];
}

function without(
  term: string,
  list: string,
  properties: readonly StructuralProperty[],
): readonly Annotation[] {
  if (properties.length === 0) return [];
  return [restriction(term, { [list]: paths(properties.map(({ name }) => name)) })];
}

/** Part 1, 11.2.6.2; a complex property is sorted by what is in it. */
function isSortable(property: StructuralProperty): boolean {
  const { type, collection } = property;
  if (!isReadable(property) || collection) return false;
  return type.kind !== 'primitive' || type.name === 'Edm.Untyped' || isComparable(type.name);
}
