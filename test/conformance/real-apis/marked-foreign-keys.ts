import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NavigationProperty, StructuralProperty } from '../../../src/model/edm.ts';
import type { Model } from '../../../src/model/model.ts';

/** A foreign key that a person marked in a document: the place that has the key, and the set of the related entities. */
interface Mark {
  readonly document: string;
  readonly owner: string;
  readonly property: string;
  /** The type of the property in the model; one for what is embedded. */
  readonly type: string;
  readonly set: string;
}

/** The foreign keys of ten documents, marked before any rule for them was written; `*` is any name. */
export function markedForeignKeys(): readonly Mark[] {
  const text = readFileSync(join(import.meta.dirname, 'foreign-keys.tsv'), 'utf8');
  const [, ...lines] = text.trimEnd().split('\n');
  return lines.map((line) => {
    const [document = '', owner = '', property = '', type = '', set = ''] = line.split('\t');
    return { document, owner, property, type, set };
  });
}

interface FoundForeignKeys {
  readonly served: readonly string[];
  readonly suggested: readonly string[];
  /** Marked, and neither of these. */
  readonly missed: readonly string[];
  /** Relations by a foreign key, or by its alias, that no mark has: a person must look at them. */
  readonly unmarked: readonly string[];
}

/** Compares a model with the marks of its document. `suggestions`: the messages of `reference-suggested`. */
export function findMarked(
  model: Model,
  marks: readonly Mark[],
  suggestions: readonly string[],
): FoundForeignKeys {
  const found = { served: new Set<string>(), suggested: new Set<string>(), missed: new Set<string>() };
  const relations = new Map<string, string>();
  for (const type of model.entityTypes.values()) {
    for (const navigation of type.navigationProperties.values()) {
      const place = keyProperty(type.structuralProperties, navigation);
      if (place !== undefined) relations.set(`${type.name}/${place}`, navigation.target?.name ?? '');
    }
    for (const mark of marks.filter(({ owner }) => owner === '*' || owner === type.name)) {
      for (const name of marked(type, mark)) {
        const text = `${type.name}/${name} → ${mark.set}`;
        const embedded = type.navigationProperties.get(name)?.target?.name;
        // A parameter of the same name that all rows of a list have may have the key, too.
        const beside = [`${type.name}/${name}`, `${type.name}/${name}Id`, `${type.name}/${name}Gid`];
        const isServed = [embedded, ...beside.map((each) => relations.get(each))].includes(mark.set);
        const isSuggested = suggestions.some((each) => {
          const [place, targets = ''] = (each.split(':')[0] ?? '').split(' may be a key of ');
          return place === `${type.name}/${name}` && targets.split(' or ').includes(mark.set);
        });
        found[isServed ? 'served' : isSuggested ? 'suggested' : 'missed'].add(text);
      }
    }
  }
  const all = [...relations].map(([place, set]) => `${place} → ${set}`);
  return {
    served: [...found.served],
    suggested: [...found.suggested],
    missed: [...found.missed],
    unmarked: all.filter((each) => !found.served.has(each)),
  };
}

type EntityType = Model['entityTypes'] extends ReadonlyMap<string, infer Type> ? Type : never;

/** The model names of the properties that a mark is about. */
function marked(
  { key, structuralProperties, navigationProperties }: EntityType,
  mark: Mark,
): readonly string[] {
  const structural = [...structuralProperties.values()]
    .filter(({ name, aliasOf }) => aliasOf === undefined && !(key.length === 1 && key[0] === name))
    .map(({ name, upstreamName, type }) => ({ name, upstreamName, type: type.name.replace('Edm.', '') }));
  const embedded = [...navigationProperties.values()]
    .filter(({ origin }) => origin.kind === 'embedded')
    .map(({ name, entityType }) => ({ name, upstreamName: name, type: entityType.name }));
  return [...structural, ...embedded]
    .filter(({ type }) => mark.type === '*' || mark.type === type)
    .filter(
      ({ name, upstreamName }) =>
        (['*', name, upstreamName].includes(mark.property) && mark.property !== '*') || mark.property === '*',
    )
    .map(({ name }) => name);
}

/** The property that has the key by which a navigation property leads to one entity of a set, or to several. */
function keyProperty(
  properties: ReadonlyMap<string, StructuralProperty>,
  { constraints, origin, collection }: NavigationProperty,
): string | undefined {
  const forward =
    origin.kind === 'referring' && collection ? origin.foreignKey.referencedProperty : undefined;
  const name = constraints.at(-1)?.property ?? forward;
  const property = name === undefined ? undefined : properties.get(name);
  // The entities that refer to one of the target lead back: the key is theirs.
  if (property === undefined || (constraints.length === 0 && !property.collection)) return undefined;
  return property.aliasOf?.slice(0, 1).join('/') ?? property.name;
}
