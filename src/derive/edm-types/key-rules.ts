import { isAboutAnswer } from '../../model/answer-words.ts';
import { foldedName, words } from '../../model/names.ts';
import { member, text } from '../../openapi/document/document-node.ts';
import {
  isObjectSchema,
  jsonTypes,
  keyword,
  ownSchema,
  type Schema,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import { answeredSchemas } from '../answers/list-answer.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import { identifiesAny, isIdentifier } from './identifier.ts';
import {
  firstNamed,
  identifyingProperty,
  isNamed,
  isPlainValue,
  isWeakKey,
  namesEntity,
  parameterProperty,
  prefixedProperty,
  tailProperty,
} from './key-names.ts';
import { isKeyProperty, keyInHeldEntity, keyInIdentifier, nestedKeyProperties } from './nested-key.ts';
import type { NamedProperty } from './structural-property.ts';

/** The path of the read by key: its parameters, and the name of its collection. */
export interface KeyedPath {
  readonly parameters: readonly string[];
  /** The literal before the parameters, such as `customers`, if any. */
  readonly collection: string | undefined;
  /**
   * The path parameters before the last one: properties with their names may have the same value in all
   * entities of a list.
   */
  readonly above: readonly string[];
  /** The parameter that one of the entities is changed or deleted by; undefined where none is. */
  readonly changedBy: string | undefined;
  /** The required query parameters; empty if the path has all required parameters. */
  readonly demanded?: readonly string[];
}

/** A convention by which the key of entities is found. */
export interface KeyRule {
  /** As reports name it. */
  readonly id: string;
  /** The heading of `docs/x-odata.md` that describes it. */
  readonly section: string;
  /**
   * True if the document does not declare the property as an identifier: several entities may have the same
   * value.
   */
  readonly isGuess?: true;
  /** The properties of the key; empty if nothing distinguishes the entities; undefined leaves it to the next rule. */
  readonly find: (entities: KeyCandidates) => readonly NamedProperty[] | undefined;
}

/** The entities whose key is looked for. */
export interface KeyCandidates {
  readonly derivation: Derivation;
  readonly schema: Schema;
  readonly path: KeyedPath;
  /** The last path parameter, if no property has its name; empty for entities in lists only. */
  readonly parameter: string;
  /** The operation that reads or lists them. */
  readonly operation: DocumentOperation | undefined;
  /** The names that the entities may have. */
  readonly names: readonly string[];
  /** All of their properties. */
  readonly properties: readonly NamedProperty[];
  /** The properties whose values can be keys and that no other parameter fills. */
  readonly candidates: readonly NamedProperty[];
  /** Whether one of their properties identifies them, be it of a type that cannot be a key. */
  readonly isIdentified: boolean;
}

/** The key found by a rule. */
export interface FoundKey {
  readonly rule: NamedRule;
  readonly properties: readonly NamedProperty[];
}

/** The first rule that finds the key, and the key. */
export function firstKey(rules: readonly KeyRule[], entities: KeyCandidates): FoundKey | undefined {
  for (const rule of rules) {
    const properties = rule.find(entities);
    if (properties !== undefined) return { rule, properties };
  }
  return undefined;
}

/** A rule without its way of finding a key. */
export type NamedRule = Omit<KeyRule, 'find'>;

export const KEY_NAMED: NamedRule = {
  id: 'x-odata.key',
  section: "On an entity's schema",
};

const READ = 'Keys of entities that a path reads';
const LISTED = 'Keys of entities that are only listed';

export const KEY_OF_PARAMETERS: NamedRule = { id: 'parameter', section: READ };

const only = (property: NamedProperty | undefined): readonly NamedProperty[] | undefined =>
  property && [property];

/** The rules for the last path parameter of a read by key, if no property has its name. */
export const READ_RULES: readonly KeyRule[] = [
  {
    id: 'named-in-parameter',
    section: READ,
    find: ({ candidates, parameter, names, isIdentified }) => {
      // The last words of `promotion_code` alone have no meaning if the entity has that name.
      if (isEntityName(parameter, names)) return undefined;
      const named = tailProperty(candidates, parameter, names);
      // `{id_or_slug}` takes either: the slug may be null, and two may have one name.
      const isEither = isIdentified && words(parameter).some(isIdentifier);
      const isOptional = named !== undefined && (isWeakKey(named) || isNamed(named, 'slug'));
      return isEither && isOptional ? undefined : only(named);
    },
  },
  {
    id: 'described-parameter',
    section: READ,
    find: (entities) => only(isOfEntity(entities) ? describedName(entities) : undefined),
  },
  {
    id: 'identifier',
    section: READ,
    find: (entities) =>
      only(isIdentifying(entities) ? identifyingProperty(entities.candidates, entities.names) : undefined),
  },
  {
    id: 'identifier-object',
    section: READ,
    find: ({ derivation, properties, names, parameter }) =>
      only(words(parameter).some(isIdentifier) ? keyInIdentifier(derivation, properties, names) : undefined),
  },
  {
    id: 'own-name',
    section: READ,
    find: (entities) =>
      only(isIdentifying(entities) ? ownNamed(entities.candidates, entities.names) : undefined),
  },
  {
    id: 'called',
    section: READ,
    find: (entities) => {
      const { candidates, parameter } = entities;
      const isId = words(parameter).some(isIdentifier);
      return only(isOfEntity(entities) && !isId ? firstNamed(candidates, CALLED) : undefined);
    },
  },
  {
    id: 'named-in-parameter',
    section: READ,
    find: ({ candidates, parameter, names }) =>
      only(isEntityName(parameter, names) ? tailProperty(candidates, parameter, names) : undefined),
  },
  { id: 'nested', section: READ, find: nestedKey },
];

/** The rules for entities that are only listed. */
export const LIST_RULES: readonly KeyRule[] = [
  {
    id: 'described-as-key',
    section: LISTED,
    find: ({ candidates }) => {
      const described = candidates.filter(isDescribedAsKey);
      return described.length > 0 ? described : undefined;
    },
  },
  {
    id: 'identifier',
    section: LISTED,
    find: ({ candidates, names }) => only(identifyingProperty(candidates, names)),
  },
  {
    id: 'identifier-object',
    section: LISTED,
    find: ({ derivation, properties, names }) => only(keyInIdentifier(derivation, properties, names)),
  },
  {
    id: 'read-below-owners',
    section: LISTED,
    find: (entities) => {
      const { derivation, schema } = entities;
      const reads = severalParameters(derivation).get(ownSchema(schema).identity) ?? [];
      return reads
        .values()
        .map((names) => propertiesNamed(entities, names))
        .find((found) => found !== undefined);
    },
  },
  {
    id: 'changed-by',
    section: LISTED,
    isGuess: true,
    find: (entities) => {
      const { schema, path, names } = entities;
      const { changedBy } = path;
      if (changedBy === undefined) return undefined;
      const properties = tellingProperties(entities);
      const tail = namesEntity(changedBy, names) ? tailProperty(properties, changedBy, names) : undefined;
      return only(parameterProperty(schema, properties, changedBy) ?? tail);
    },
  },
  {
    id: 'read-elsewhere',
    section: LISTED,
    isGuess: true,
    find: (entities) => {
      const { derivation, schema, path } = entities;
      const parameters = readParameters(derivation).get(ownSchema(schema).identity) ?? [];
      const properties = tellingProperties(entities);
      const [found, ...others] = new Set(
        parameters.map((name) => parameterProperty(schema, properties, name)),
      );
      const isOfOwner = found !== undefined && path.above.some((name) => isNamed(found, name));
      return only(others.length > 0 || isOfOwner ? undefined : found);
    },
  },
  {
    id: 'only-identifier',
    section: LISTED,
    isGuess: true,
    find: ({ candidates, path, properties }) => {
      const ids = identifiers(candidates);
      const [id, ...others] = ids;
      // What an entity is nothing but: which others belong together.
      const isAssociation =
        others.length > 0 && ids.length === properties.length && ids.every(({ required }) => required);
      if (isAssociation) return ids;
      const isOwn = id !== undefined && others.length === 0 && !isOfOther(id) && !isOfOwner(id, path.above);
      return only(isOwn ? id : undefined);
    },
  },
  {
    id: 'own-code',
    section: LISTED,
    isGuess: true,
    find: ({ candidates, names }) => only(prefixedProperty(candidates, names, OWN_NAMES)),
  },
  {
    id: 'held-entity',
    section: LISTED,
    isGuess: true,
    find: ({ derivation, properties, names }) => only(keyInHeldEntity(derivation, properties, names)),
  },
  {
    id: 'own-name',
    section: LISTED,
    isGuess: true,
    find: (entities) => {
      const { path, names, properties } = entities;
      const telling = alwaysThere(tellingProperties(entities)).filter(isTelling);
      const { above, demanded = [] } = path;
      const own = telling.filter(
        (property) => ![...above, ...demanded].some((name) => isNamed(property, name)),
      );
      return only(isSeries(properties) ? undefined : ownNamed(own, names));
    },
  },
  {
    // Entities that have to do with several others: a `slug` may be that of one of them.
    id: 'several-identifiers',
    section: LISTED,
    find: ({ candidates }) => (identifiers(candidates).length > 1 ? [] : undefined),
  },
  {
    id: 'called',
    section: LISTED,
    isGuess: true,
    find: (entities) => {
      const telling = tellingProperties(entities);
      const ids = identifiers(entities.candidates);
      // Entities that are identified by another's are at least called something.
      const isOfOthers = ids.length === 1 && ids.some(isOfOther);
      const named = isOfOthers ? telling : telling.filter(({ required }) => required);
      return only(firstNamed(named, DISTINCT_NAMES) ?? firstNamed(telling, CODES));
    },
  },
  {
    id: 'measured',
    section: LISTED,
    isGuess: true,
    find: (entities) => {
      const { path, properties } = entities;
      const { above, demanded = [] } = path;
      // A read with required query parameters is a calculation, unless it looks up entities by name.
      if (demanded.length > 0 && properties.length > 1) return undefined;
      const own = properties.filter(
        (property) => ![...above, ...demanded].some((name) => isNamed(property, name)),
      );
      return only(measured(entities, own));
    },
  },
];

function isEntityName(parameter: string, names: readonly string[]): boolean {
  return names.some((name) => foldedName(name) === foldedName(parameter));
}

function isOfEntity({ parameter, names }: KeyCandidates): boolean {
  return namesEntity(parameter, names);
}

/** Whether the parameter means the entity itself, and not for a name of it as `{username}` does. */
function isIdentifying(entities: KeyCandidates): boolean {
  const { parameter } = entities;
  const isId = words(parameter).some(isIdentifier);
  return isOfEntity(entities) && (isId || !/(?:name|login|slug)$/.test(foldedName(parameter)));
}

/** The name of an entity, if the description of a parameter declares a name or a slug, and no identifier. */
function describedName({ operation, parameter, candidates }: KeyCandidates): NamedProperty | undefined {
  const found = operation?.parameters.find(({ name, in: place }) => place === 'path' && name === parameter);
  const described = words(text(member(found?.node, 'description')) ?? '').map((word) => word.toLowerCase());
  if (described.some((word) => /^(?:ids?|uuid|guid|identifier)$/.test(word))) return undefined;
  const names = described.includes('name')
    ? NAMES
    : DESCRIBED_NAMES.filter((name) => described.includes(name));
  return firstNamed(candidates, names);
}

/** Words in a parameter's description that identify a key property. */
const DESCRIBED_NAMES = ['slug', 'handle', 'login', 'username', 'code', 'symbol'];

/** The names of entities in paths, the likeliest first: beside a `login`, `name` may be anything. */
const NAMES = ['login', 'username', 'slug', 'handle', 'name'];

/** Properties that paths call entities by, the likeliest first. */
const CALLED = ['login', 'username', 'slug', 'handle', 'key', 'code', 'symbol', 'name'];

/** The property with the name of the entity: `field` for items of `fields`. */
function ownNamed(properties: readonly NamedProperty[], names: readonly string[]): NamedProperty | undefined {
  return firstNamed(properties.filter(isPlainValue), names);
}

/**
 * A nested property, if no property has the name of the parameter: `metadata.name` for `{name}`, or
 * `user.key` for `{userKey}` (CSDL 4.01, 6.5), unless the object is only a wrapper of a user. Of several
 * objects, the identifier of the object with the name of the entity.
 */
function nestedKey({
  derivation,
  path,
  parameter,
  properties,
  names,
}: KeyCandidates): readonly NamedProperty[] | undefined {
  if (path.parameters.length !== 1) return undefined;
  const isUnfit = properties.some(
    (property) => isNamed(property, parameter) && !isObjectSchema(property.schema),
  );
  const owners = isUnfit ? [] : properties.filter(({ schema }) => isObjectSchema(schema));
  const nested = owners.flatMap((owner) => nestedKeyProperties(derivation, owner));
  const wanted = foldedName(parameter);
  const hasOwn = properties.some(
    (property) => isPlainValue(property) && !isAboutAnswer(property.upstreamName),
  );
  const [found, ...others] = nested.filter(
    ({ name, upstreamName }) =>
      foldedName(upstreamName) === wanted || (hasOwn && foldedName(name) === wanted),
  );
  const held = namesEntity(parameter, names) ? keyInHeldEntity(derivation, properties, names) : undefined;
  return only(others.length === 0 ? (found ?? held) : held);
}

/** Whether the document says in words that a property is the primary key, or a part of it, as PostgREST does. */
function isDescribedAsKey({ schema }: NamedProperty): boolean {
  return /(?:^|\bthis is |<)(?:an? |the )?(?:primary key\b|pk\/>)/i.test(
    text(keyword(schema, 'description')) ?? '',
  );
}

/** The candidates that may tell entities apart: where something identifies these, no name and nothing that may be null. */
function tellingProperties({ candidates, isIdentified }: KeyCandidates): readonly NamedProperty[] {
  return isIdentified ? candidates.filter((property) => !isWeakKey(property)) : candidates;
}

/** The required properties; all properties if the schema declares none as required. */
function alwaysThere(properties: readonly NamedProperty[]): readonly NamedProperty[] {
  const required = properties.filter((property) => property.required);
  return required.length > 0 ? required : properties;
}

function identifiers(properties: readonly NamedProperty[]): readonly NamedProperty[] {
  return properties.filter(({ upstreamName }) => identifiesAny(upstreamName));
}

/** Words that begin the names of what an entity has to do with, and is not. */
const OTHERS =
  /^(?:owner|parent|creator|author|assignee|requester|created|updated|modified|last|previous|next|related|source|target)$/i;

/** Whether a property identifies something else by its name: `ownerOrganizationId`, `parent_id`. */
function isOfOther({ upstreamName }: NamedProperty): boolean {
  return OTHERS.test(words(upstreamName)[0] ?? '');
}

/** Whether a property has the value of a parameter before the list, which all of its entities share: `{projectIdOrKey}`. */
function isOfOwner(property: NamedProperty, above: readonly string[]): boolean {
  return above.some(
    (name) => isNamed(property, name) || isNamed(property, name.replace(/_?or_?[a-z]+$/i, '')),
  );
}

/** Words that identify an entity behind its name: `currencyCode` of a currency is each time another one. */
const OWN_NAMES = ['key', 'code', 'number', 'slug', 'hash', 'symbol'];

/** Names of properties that are distinct for entities without an identifier, the likeliest first. */
const DISTINCT_NAMES = [
  ...['key', 'slug', 'name', 'code', 'login', 'username', 'symbol', 'filename', 'email'],
  ...['hash', 'cid', 'url', 'uri', 'href', 'self'],
];

/** The names among these of properties that serve no other purpose, so that they need not be required. */
const CODES = ['key', 'slug', 'code', 'symbol', 'filename'];

/**
 * The subject of a row of statistics: the only text or time property, if all other properties are numbers.
 * Undefined if a number may distinguish rows.
 */
function measured(
  { derivation, schema: { alternatives } }: KeyCandidates,
  properties: readonly NamedProperty[],
): NamedProperty | undefined {
  const numbers = properties.filter(({ schema }) => isNumber(schema));
  const [about, ...others] = properties.filter((property) => !numbers.includes(property));
  if (about === undefined || others.length > 0 || alternatives.length > 0) return undefined;
  const isDistinct =
    isSeries(numbers) || numbers.some(({ upstreamName }) => TELLING.test(words(upstreamName).at(-1) ?? ''));
  const isAbout =
    !identifiesAny(about.upstreamName) &&
    isTelling(about) &&
    isPlainValue(about) &&
    isKeyProperty(derivation, about);
  return isAbout && !isDistinct ? about : undefined;
}

/** The last words of names of numbers that tell rows apart and measure nothing. */
const TELLING = /^(?:id|numbers?|no|code|index|position|rank|order|version)$/i;

/** Names of texts that say something of a row, and not which one it is. */
const DESCRIBING = /^(?:description|text|comments?|notes?|message|error|content|body|value)$/i;

/** Whether rows are of several times: what else they are named after may come again. */
function isSeries(properties: readonly NamedProperty[]): boolean {
  return properties.some(({ upstreamName }) => TIMES.test(upstreamName));
}

const TIMES = /^(?:time|timestamp|date|day|week|month|quarter|year|hour|period|interval)$/i;

/** Whether values of a property may tell rows apart: they are no descriptions, and not among a few that the document lists. */
function isTelling({ schema, upstreamName }: NamedProperty): boolean {
  return valueNodes(schema).length === 0 && !DESCRIBING.test(upstreamName);
}

function isNumber(schema: Schema): boolean {
  const types = jsonTypes(schema);
  return types.length > 0 && types.every((type) => type === 'integer' || type === 'number');
}

/** The properties of those names, each another one: of the entities, or of the one of their objects that has it. */
function propertiesNamed(
  { derivation, schema, properties, candidates }: KeyCandidates,
  names: readonly string[],
): readonly NamedProperty[] | undefined {
  const nested = properties
    .filter((property) => isObjectSchema(property.schema))
    .flatMap((owner) => nestedKeyProperties(derivation, owner));
  const found = names.flatMap((name) => {
    const [inner, ...others] = nested.filter(
      ({ upstreamName }) => foldedName(upstreamName) === foldedName(name),
    );
    return parameterProperty(schema, candidates, name) ?? (others.length === 0 ? (inner ?? []) : []);
  });
  const isWhole = found.length === names.length && new Set(found).size === names.length;
  return isWhole ? found : undefined;
}

type ParametersByIdentity = ReadonlyMap<string, readonly (readonly string[])[]>;

const SEVERAL_PARAMETERS = new WeakMap<Derivation, ParametersByIdentity>();

/** The parameters of paths that read one entity by several, its owner's among them, by the identity of its schema. */
function severalParameters(derivation: Derivation): ParametersByIdentity {
  const known = SEVERAL_PARAMETERS.get(derivation);
  if (known !== undefined) return known;
  const found = derivation.operations.flatMap((operation) => {
    const names = operation.segments.flatMap((segment) =>
      segment.kind === 'parameter' ? [segment.name] : [],
    );
    const isRead = operation.method === 'get' && operation.segments.at(-1)?.kind === 'parameter';
    if (!isRead || names.length < 2) return [];
    return answeredSchemas(derivation, operation).map(({ identity }) => ({ names, of: identity }));
  });
  const byIdentity = Map.groupBy(found, ({ of }) => of);
  const parameters = new Map([...byIdentity].map(([of, reads]) => [of, reads.map(({ names }) => names)]));
  SEVERAL_PARAMETERS.set(derivation, parameters);
  return parameters;
}

const READ_PARAMETERS = new WeakMap<Derivation, ReadonlyMap<string, readonly string[]>>();

/** The parameters by which a path that has no other one reads one entity, by the identity of its schema. */
function readParameters(derivation: Derivation): ReadonlyMap<string, readonly string[]> {
  const known = READ_PARAMETERS.get(derivation);
  if (known !== undefined) return known;
  const found = derivation.operations.flatMap((operation) => {
    const [parameter, ...others] = operation.segments.filter(({ kind }) => kind === 'parameter');
    const isRead =
      operation.method === 'get' && parameter === operation.segments.at(-1) && others.length === 0;
    if (!isRead || parameter?.kind !== 'parameter') return [];
    return answeredSchemas(derivation, operation).map(({ identity }) => ({
      name: parameter.name,
      of: identity,
    }));
  });
  const byIdentity = Map.groupBy(found, ({ of }) => of);
  const names = new Map([...byIdentity].map(([of, reads]) => [of, reads.map(({ name }) => name)]));
  READ_PARAMETERS.set(derivation, names);
  return names;
}
