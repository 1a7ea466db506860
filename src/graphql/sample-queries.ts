import type { Connection } from '../contract/landing.ts';
import { comparableType, type EntitySet, requiredFilter } from '../model/edm.ts';
import { madeOnce } from '../model/maps.ts';
import type { Model } from '../model/model.ts';
import {
  DEFAULT_FORM,
  type IdUse,
  type SchemaNames,
  type ShownModel,
  schemaNames,
} from './context/schema-names.ts';

/** An example query. */
export interface SampleQuery {
  readonly title: string;
  readonly query: string;
}

/** Examples for the set, or for the first listable one. */
type Samples = (visible: Model, set?: EntitySet) => readonly SampleQuery[];

/** Examples for the visible part of the model. */
export function sampleQueries(model: Model, ids: IdUse): Samples {
  let names: SchemaNames | undefined;
  return (visible, set) => {
    names ??= schemaNames(model, ids);
    return samplesOf({ model: visible, names, form: DEFAULT_FORM }, set);
  };
}

/** Examples for the set, or for the first listable one; empty without any. */
export function samplesOf(
  shown: ShownModel,
  set = [...shown.model.entitySets.values()].find(({ list }) => list !== undefined),
): readonly SampleQuery[] {
  return set === undefined ? [] : samplesOfSet(shown, set);
}

/** Maximum number of fields shown. */
const FIELDS = 5;

function samplesOfSet(shown: ShownModel, set: EntitySet): readonly SampleQuery[] {
  const { list, connection } = shown.names.setOf(set);
  const values = comparableFields(shown, set);
  const { key } = set.entityType;
  const own = values.flatMap(({ field, property }) => (key.includes(property) ? [field] : []));
  const others = values.filter(({ property }) => !key.includes(property));
  const text = others.find(({ type }) => type === 'Edm.String')?.field;
  const group = others.find(({ type }) => type !== 'Edm.String')?.field;
  const fields = [...own, ...others.map(({ field }) => field)].slice(0, FIELDS);
  if (fields.length === 0) return [];
  const some = [...own, text].filter((field) => field !== undefined).join(' ');
  return [
    { title: 'The first five', query: `{ ${list}(take: 5) { ${fields.join(' ')} } }` },
    ...(text === undefined ? [] : textSamples(list, text, some)),
    {
      title: 'A page, and how many there are',
      query: `{ ${connection}(first: 5) { totalCount nodes { ${fields.join(' ')} } pageInfo { hasNextPage endCursor } } }`,
    },
    ...(group === undefined
      ? []
      : [
          {
            title: 'How many of each',
            query: `{ ${connection} { groups(by: [${group}]) { key { ${group} } count } } }`,
          },
        ]),
  ];
}

function textSamples(list: string, text: string, some: string): readonly SampleQuery[] {
  return [
    {
      title: 'What contains a letter',
      query: `{ ${list}(where: { ${text}: { contains: "e" } }) { ${some} } }`,
    },
    {
      title: 'Sorted, the last first',
      query: `{ ${list}(order: [{ ${text}: DESC }], take: 5) { ${some} } }`,
    },
  ];
}

function comparableFields(shown: ShownModel, { entityType }: EntitySet) {
  return [...shown.names.membersOf(entityType)].flatMap(([field, member]) => {
    if (member.kind !== 'property') return [];
    const type = comparableType(member.property);
    return type === undefined ? [] : [{ field, property: member.property.name, type }];
  });
}

type Connections = ReadonlyMap<string, Connection>;

/** The queries with which programs read each listable entity set, for the visible part of the model. */
export function connectionsOf(samples: Samples): (visible: Model) => Connections {
  const known = new WeakMap<Model, Connections>();
  return (visible) => madeOnce(known, visible, () => connectionsIn(visible, samples));
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

/** The set and the sets that contain its lists, which are read first. */
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
