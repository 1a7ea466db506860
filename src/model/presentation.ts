import {
  type EntitySet,
  type EntityType,
  isReadable,
  requiredFilter,
  type StructuralProperty,
  type StructuredType,
} from './edm.ts';
import { labelOf, pluralOf, words } from './names.ts';
import { isKeyType } from './type-use.ts';

/** The presentation of entities of a type in clients with screens: as the document declares it, else derived from the properties. */
export interface Presentation {
  readonly label: string;
  readonly plural: string;
  /** The path of the property that names an entity; undefined if none does. */
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The paths of the columns of a list, the most important first. */
  readonly columns: readonly string[];
  /** The paths of the properties to filter a list by. */
  readonly filters: readonly string[];
  /** The paths of the properties of a form, by the label of their group. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The paths of the texts that represent values, by the properties' names. */
  readonly texts: ReadonlyMap<string, string>;
  /** The properties that people know an entity by; empty if they know none. */
  readonly semanticKey: readonly string[];
}

/** Maximum numbers of columns, filters and fields that are chosen without a declaration. */
const MOST_COLUMNS = 8;
const MOST_FILTERS = 5;
const MOST_FIELDS = 20;

/**
 * The presentation of a type in a model that may be the part for a role: declared paths that lead through anything that
 * the part lacks are left out. `sets` are the sets of the type.
 */
export function presentationOf(type: EntityType, sets: readonly EntitySet[]): Presentation {
  const declared = type.presentation ?? {};
  const kept = (paths: readonly string[] | undefined) => paths?.filter((path) => isShown(type, path));
  const keptPath = (path: string | undefined) => kept(path === undefined ? [] : [path])?.[0];
  const shown = [...type.structuralProperties.values()].filter(isShowable);
  const title = keptPath(declared.title) ?? titleOf(type, shown)?.name;
  const label = type.label ?? labelOf(type.name);
  const ranked = shown
    .toSorted((a, b) => rank(type, title, a) - rank(type, title, b))
    .map(({ name }) => name);
  const groups = [...(declared.groups ?? [])].map(([name, paths]) => [name, kept(paths) ?? []] as const);
  const general = groups.length > 0 ? groups : [[GENERAL, ranked.slice(0, MOST_FIELDS)] as const];
  return {
    label,
    plural: declared.plural ?? pluralOf(label),
    title,
    description: keptPath(declared.description),
    columns: kept(declared.columns) ?? ranked.slice(0, MOST_COLUMNS),
    filters: kept(declared.filters) ?? filtersOf(type, sets, shown, title),
    groups: new Map(general.filter(([, paths]) => paths.length > 0)),
    texts: new Map([
      ...textOfKey(type, title),
      ...[...(declared.texts ?? [])].filter(([, path]) => isShown(type, path)),
    ]),
    semanticKey: semanticKey(type),
  };
}

const GENERAL = 'General';

/** Whether a path leads to a value that reads return. */
function isShown(type: StructuredType, path: string): boolean {
  const [first = '', ...deeper] = path.split('/');
  const property = type.structuralProperties.get(first);
  if (property !== undefined) {
    if (deeper.length === 0) return isReadable(property);
    return property.type.kind === 'complex' && isShown(property.type, deeper.join('/'));
  }
  const navigation = type.navigationProperties.get(first);
  return (
    navigation !== undefined &&
    navigation.unreadable !== true &&
    isShown(navigation.entityType, deeper.join('/'))
  );
}

/**
 * Whether a property is a value for a cell or a field. Enumeration types are left out: UI5 1.136 shows nothing for them, and
 * Fiori elements stops at a filter of one.
 */
function isShowable(property: StructuralProperty): boolean {
  const { type, collection, hidden, isRowKey } = property;
  if (!isReadable(property) || collection || hidden === true || isRowKey === true) return false;
  return isKeyType(type.name) || FLOATING.has(type.name);
}

const FLOATING: ReadonlySet<string> = new Set(['Edm.Double', 'Edm.Single']);

const TITLES = [/^(?:title|name|displayname|fullname|label|subject)$/i, /(?:name|title|label)$/i];

/** The property that names an entity: a name or a title, else the first text outside of the key. */
function titleOf({ key }: EntityType, shown: readonly StructuralProperty[]): StructuralProperty | undefined {
  const texts = shown.filter(({ name, type }) => type.name === 'Edm.String' && !key.includes(name));
  for (const pattern of TITLES) {
    const found = texts.find(({ name }) => pattern.test(words(name).join('')));
    if (found !== undefined) return found;
  }
  return texts[0];
}

/** Lower is more important: the title, the key, the others in their order, and last the records of changes. */
function rank({ key }: EntityType, title: string | undefined, { name }: StructuralProperty): number {
  if (name === title) return 0;
  if (key.includes(name)) return 1;
  return /(?:created|updated|modified|changed|deleted)(?:At|On|By|Date|Time)?$/i.test(name) ? 3 : 2;
}

/** Conditions that the API needs, then values that there are few of, then what leads to other entities, dates, the title. */
function filtersOf(
  type: EntityType,
  sets: readonly EntitySet[],
  shown: readonly StructuralProperty[],
  title: string | undefined,
): readonly string[] {
  const required = sets.flatMap(({ list }) => (list === undefined ? [] : requiredFilter(list)));
  const references = new Set(
    [...type.navigationProperties.values()].flatMap(({ constraints, collection }) =>
      collection ? [] : constraints.map(({ property }) => property),
    ),
  );
  const few = ({ type: { name }, facets }: StructuralProperty) =>
    name === 'Edm.Boolean' || facets.allowedValues !== undefined;
  const chosen = [
    ...required.map(({ property }) => property),
    ...shown.filter(few).map(({ name }) => name),
    ...shown.filter(({ name }) => references.has(name)).map(({ name }) => name),
    ...shown.filter(({ type: { name } }) => /^Edm\.Date/.test(name)).map(({ name }) => name),
    ...(title === undefined || title.includes('/') ? [] : [title]),
  ];
  const known = new Set(shown.map(({ name }) => name));
  return [...new Set(chosen)].filter((name) => known.has(name)).slice(0, MOST_FILTERS);
}

/** The title represents the key, if the key has one part; it is in the same entity, so that it costs no further read. */
function textOfKey({ key }: EntityType, title: string | undefined): readonly (readonly [string, string])[] {
  const [part, ...others] = key;
  if (part === undefined || others.length > 0 || title === undefined || title === part) return [];
  return [[part, title]];
}

/** An alternate key, else the key, unless it is a Guid or made by the gateway. */
function semanticKey({ alternateKeys, key, structuralProperties }: EntityType): readonly string[] {
  const [alternate] = alternateKeys ?? [];
  if (alternate !== undefined) return alternate;
  const isKnown = key.every((name) => {
    const property = structuralProperties.get(name);
    return property !== undefined && isShowable(property) && property.type.name !== 'Edm.Guid';
  });
  return isKnown ? key : [];
}
