import { foldedName, pascalCase, singularOf, words } from '../../model/names.ts';
import { isKeyType } from '../../model/type-use.ts';
import { type DocumentNode, isTrue, member, text, texts } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import {
  componentName,
  isArraySchema,
  isObjectSchema,
  jsonTypes,
  keyword,
  ownSchema,
  type Schema,
  setting,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import { answeredSchemas, isAboutAnswer } from '../answers/list-answer.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { IDENTIFIERS, identifiesAny, isIdentifier } from './identifier.ts';
import { sharedPrimitiveType } from './primitive-type.ts';
import { type NamedProperty, namedProperties } from './structural-property.ts';

/** A property of a key, and the path parameter that it fills; none where nothing is read by key. */
export interface KeyPart {
  readonly property: NamedProperty;
  readonly parameter: string | undefined;
}

/** Where an entity is read by key: by which parameters, and the name of the collection that it is in. */
export interface KeyedPath {
  readonly parameters: readonly string[];
  /** The literal before the parameters, such as `customers`; undefined where there is none. */
  readonly collection: string | undefined;
  /** The parameters of the path before: what is named like them may be the same in all entities of a list. */
  readonly above: readonly string[];
  /** The parameter that one of the entities is changed or deleted by; undefined where none is. */
  readonly changedBy: string | undefined;
  /** The parameters that the query demands; none where the path is all that must be given. */
  readonly demanded?: readonly string[];
}

/**
 * The key of an entity type: the properties that `x-odata.key` names, or those that fill the path parameters, by
 * their names or by elimination; for entities that are only listed, the property that is named like a key. Undefined,
 * and reported, where a parameter fits no property or a property is no key (CSDL 4.01, 6.5).
 */
export function entityKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  path: KeyedPath,
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const said = setting(schema, 'key');
  markUsed(derivation.source, schema, ['key']);
  const named = said === undefined ? undefined : namedKey(derivation, properties, said);
  if (said !== undefined && named === undefined) return undefined;
  const parts =
    path.parameters.length > 0
      ? matchedParts(derivation, schema, named ?? properties, path, at)
      : unmatchedParts(named ?? listedKey(derivation, schema, properties, path));
  return parts === undefined ? undefined : checkedKey(derivation, inOrder(parts, named), named, at);
}

/** A key that no path has parameters for; undefined where there is none. */
function unmatchedParts(properties: readonly NamedProperty[]): readonly KeyPart[] | undefined {
  if (properties.length === 0) return undefined;
  return properties.map((property) => ({ property, parameter: undefined }));
}

function matchedParts(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  path: KeyedPath,
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const { parameters } = path;
  const isSaid = setting(schema, 'key') !== undefined;
  const candidates = isSaid ? properties : keyProperties(derivation, properties);
  const isAlone = isSaid && candidates.length === 1 && parameters.length === 1;
  const single = isAlone ? candidates : namedParts(derivation, schema, candidates, path, at);
  const found = isSaid ? single : withNested(derivation, schema, properties, path, single);
  const missing = parameters.find((_, index) => found[index] === undefined);
  if (missing === undefined) {
    return parameters.flatMap((parameter, index) => {
      const property = found[index];
      return property === undefined ? [] : [{ property, parameter }];
    });
  }
  reportUnmatched(derivation, schema, properties, missing, at);
  return undefined;
}

/**
 * What no property is named like may be the name of one within an object: `metadata.name` for `{name}`, or `user.key`
 * for `{userKey}` of what is more than an object around a user (CSDL 4.01, 6.5); or, of several objects side by side,
 * what identifies the one that is named as the entity is.
 */
function withNested(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  { parameters, collection }: KeyedPath,
  found: readonly (NamedProperty | undefined)[],
): readonly (NamedProperty | undefined)[] {
  if (parameters.length !== 1 || found[0] !== undefined) return found;
  const [parameter = ''] = parameters;
  const isUnfit = properties.some(
    (property) => isNamed(property, parameter) && !isObjectSchema(property.schema),
  );
  const owners = isUnfit ? [] : properties.filter(({ schema }) => isObjectSchema(schema));
  const nested = owners.flatMap((owner) => nestedKeyProperties(derivation, owner));
  const wanted = foldedName(parameter);
  const hasOwn = properties.some(
    (property) => isPlainValue(property) && !isAboutAnswer(property.upstreamName),
  );
  const [only, ...others] = nested.filter(
    ({ name, upstreamName }) =>
      foldedName(upstreamName) === wanted || (hasOwn && foldedName(name) === wanted),
  );
  const names = entityNames(schema, collection);
  const held = namesEntity(parameter, names) ? heldKey(derivation, properties, names) : undefined;
  return others.length === 0 ? [only ?? held] : [held];
}

/**
 * What identifies, of several objects side by side, the one that is named as the entity is: `subscription.id` beside
 * `customer` in `subscriptions`.
 */
function heldKey(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  names: readonly string[],
): NamedProperty | undefined {
  const objects = properties.filter(({ schema }) => isObjectSchema(schema));
  const owner = objects.find((property) => names.some((name) => isNamed(property, name)));
  if (owner === undefined || objects.length === 1) return undefined;
  return identifyingProperty(nestedKeyProperties(derivation, owner), names);
}

/** Says why a path parameter is no part of a key: its property is unfit for that, or there is none. */
function reportUnmatched(
  { source }: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
  at: DocumentNode,
): void {
  const unfit = properties.find((property) => isNamed(property, parameter));
  if (unfit !== undefined) {
    source.report('warning', unfit.node.pointer, unfitMessage(unfit), 'key-is-unfit');
    return;
  }
  const name = componentName(schema);
  const owner = name === undefined ? 'what it answers with' : quote(name);
  const message = `No property of ${owner} is named like the path parameter ${quote(parameter)}`;
  const hint = 'x-odata.key on the schema can name it';
  source.report('warning', at.pointer, `${message}: ${hint}`, 'key-is-unnamed');
}

function unfitMessage({ name, schema }: NamedProperty): string {
  const isUnseen = isTrue(keyword(schema, 'writeOnly'));
  return `${name} cannot be a key: ${isUnseen ? 'it is write-only' : 'OData has no keys of its type'}`;
}

/**
 * The properties that are named like the parameters; for one that none is named like, if it is the last of the path, the
 * property that identifies entities by its own name.
 */
function namedParts(
  derivation: Derivation,
  schema: Schema,
  candidates: readonly NamedProperty[],
  { parameters, collection }: KeyedPath,
  at: DocumentNode,
): readonly (NamedProperty | undefined)[] {
  const byName = parameters.map((parameter) => parameterProperty(schema, candidates, parameter));
  const last = parameters.at(-1);
  const isLastLeft = byName.indexOf(undefined) === parameters.length - 1;
  if (last === undefined || !isLastLeft || setting(schema, 'key') !== undefined) return byName;
  const free = candidates.filter((property) => !byName.includes(property));
  const names = entityNames(schema, collection);
  const identity = namesEntity(last, names)
    ? (saidName(derivation, free, last, at) ?? meantProperty(free, names, last))
    : undefined;
  // The last words of `promotion_code` are nothing by themselves where that is what the entity is.
  const isWhole = names.some((name) => foldedName(name) === foldedName(last));
  const tail = tailProperty(free, last, names);
  return [...byName.slice(0, -1), isWhole ? (identity ?? tail) : (tail ?? identity)];
}

/**
 * What an entity is called by, where the description of a parameter has it as that, and not as what identifies one
 * besides: a name, or a slug.
 */
function saidName(
  { operations }: Derivation,
  properties: readonly NamedProperty[],
  parameter: string,
  at: DocumentNode,
): NamedProperty | undefined {
  const operation = operations.find(({ node }) => node.pointer === at.pointer);
  const found = operation?.parameters.find(({ name, in: place }) => place === 'path' && name === parameter);
  const said = words(text(member(found?.node, 'description')) ?? '').map((word) => word.toLowerCase());
  if (said.some((word) => /^(?:ids?|uuid|guid|identifier)$/.test(word))) return undefined;
  const names = said.includes('name') ? NAMES : SAID_NAMES.filter((name) => said.includes(name));
  return firstNamed(properties, names);
}

/** What else a description may say that a parameter is. */
const SAID_NAMES = ['slug', 'handle', 'login', 'username', 'code', 'symbol'];

/**
 * The property that a parameter means which stands for the entity itself: what identifies it; or what it is called, where
 * the parameter is named so (`{username}`), or nothing else tells entities apart (`{branch}` below `branches`).
 */
function meantProperty(
  properties: readonly NamedProperty[],
  names: readonly string[],
  parameter: string,
): NamedProperty | undefined {
  const called = firstNamed(properties, CALLED);
  if (words(parameter).some(isIdentifier)) {
    return identifyingProperty(properties, names) ?? ownNamedProperty(properties, names);
  }
  if (/(?:name|login|slug)$/.test(foldedName(parameter))) return called;
  return identifyingProperty(properties, names) ?? ownNamedProperty(properties, names) ?? called;
}

/** What is the name of an entity in paths, the likeliest first: beside a `login`, `name` may be anything. */
const NAMES = ['login', 'username', 'slug', 'handle', 'name'];

/** What entities are called by in paths, the likeliest first. */
const CALLED = ['login', 'username', 'slug', 'handle', 'key', 'code', 'symbol', 'name'];

/** What is named as the entity is: `field` of what is below `fields`. */
function ownNamedProperty(
  properties: readonly NamedProperty[],
  names: readonly string[],
): NamedProperty | undefined {
  const plain = properties.filter(isPlainValue);
  return firstNamed(plain, names);
}

/** Whether a parameter says that it identifies an entity, by one of its words or by the name of the entity. */
function namesEntity(parameter: string, names: readonly string[]): boolean {
  if (words(parameter).some(isIdentifier)) return true;
  const given = foldedName(parameter);
  return names.some(
    (name) => given.startsWith(foldedName(name)) || isShortIdentifier(given, foldedName(name)),
  );
}

/** Whether it is how an entity's name begins, and that it is identified: `orgid` of organizations. */
function isShortIdentifier(parameter: string, name: string): boolean {
  const [, beginning = ''] = /^(.{3,})(?:id|uuid|guid)$/.exec(parameter) ?? [];
  return beginning !== '' && name.startsWith(beginning);
}

/**
 * The property that the last words of a parameter name: `gid` for `tag_gid`. What is behind all of the entity's name comes
 * first: `id` for `inbound_shipment_id` of inbound shipments, although they have a `shipment_id`.
 */
function tailProperty(
  properties: readonly NamedProperty[],
  parameter: string,
  names: readonly string[],
): NamedProperty | undefined {
  const { whole, starts } = foldedWords(parameter);
  const behindName = new Set(names.map((name) => foldedName(name).length));
  const isBehindName = (start: number): boolean =>
    behindName.has(start) && names.some((name) => foldedName(name) === whole.slice(0, start));
  const named = properties.flatMap((property) =>
    [property.upstreamName, property.name].flatMap((name) => {
      const start = whole.length - foldedName(name).length;
      return starts.has(start) && whole.endsWith(foldedName(name)) ? [{ property, start }] : [];
    }),
  );
  const [likeliest] = named.toSorted(
    (a, b) => Number(isBehindName(b.start)) - Number(isBehindName(a.start)) || a.start - b.start,
  );
  return likeliest?.property;
}

/** A name as it is compared, and where in it each of its words but the first one begins. */
function foldedWords(name: string): { readonly whole: string; readonly starts: ReadonlySet<number> } {
  const starts = new Set<number>();
  let whole = '';
  for (const word of words(name)) {
    if (whole !== '') starts.add(whole.length);
    whole += word.toLowerCase();
  }
  return { whole, starts };
}

/** `id` and its like, or such a word behind one of the names of the entity: `orderId`. */
function identifyingProperty(
  properties: readonly NamedProperty[],
  names: readonly string[],
): NamedProperty | undefined {
  const identity = firstNamed(properties, IDENTIFIERS);
  return identity ?? prefixedProperty(properties, names, IDENTIFIERS);
}

/** A property that is called what the entity is, with one of the words behind it: `orderId`. */
function prefixedProperty(
  properties: readonly NamedProperty[],
  names: readonly string[],
  behind: readonly string[],
): NamedProperty | undefined {
  const prefixed = names.flatMap((name) => behind.map((word) => `${name} ${word}`));
  return firstNamed(properties, prefixed);
}

/** What tells entities apart behind their name: `currencyCode` of a currency is each time another one. */
const OWN_NAMES = ['key', 'code', 'number', 'slug', 'hash', 'symbol'];

/** What entities are told apart by where they have no identifier, the likeliest first. */
const DISTINCT_NAMES = [
  ...['key', 'slug', 'name', 'code', 'login', 'username', 'symbol', 'filename', 'email'],
  ...['hash', 'cid', 'url', 'uri', 'href', 'self'],
];

/** Those of them that are there for nothing else, so that a document need not say that each entity has one. */
const CODES = ['key', 'slug', 'code', 'symbol', 'filename'];

/** The property that tells the entities of a list apart; none where there is none by its name. */
function listedKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  { collection, above, changedBy, demanded = [] }: KeyedPath,
): readonly NamedProperty[] {
  const scalar = keyProperties(derivation, properties);
  const described = scalar.filter(isDescribedAsKey);
  if (described.length > 0) return described;
  const names = entityNames(schema, collection);
  const identity = identifyingProperty(scalar, names);
  if (identity !== undefined) return [identity];
  const changed = changedBy === undefined ? undefined : namedByParameter(schema, scalar, changedBy, names);
  if (changed !== undefined) return [changed];
  const read = readProperty(derivation, schema, scalar);
  if (read !== undefined && !above.some((name) => isNamed(read, name))) return [read];
  const ids = scalar.filter(({ upstreamName }) => identifiesAny(upstreamName));
  const isOther = ids.length === 1 && ids.some((id) => isOfOther(id));
  const isOfOwner = ids.length === 1 && above.some((name) => ids.some((id) => isNamed(id, name)));
  if ((ids.length === 1 && !isOther && !isOfOwner) || isAssociation(ids, properties)) return ids;
  const required = scalar.filter((property) => property.required);
  // A schema that requires nothing says nothing of what is always there.
  const always = required.length > 0 ? required : scalar;
  const isOwn = (property: NamedProperty) => ![...above, ...demanded].some((name) => isNamed(property, name));
  const own =
    prefixedProperty(scalar, names, OWN_NAMES) ??
    heldKey(derivation, properties, names) ??
    (isSeries(properties) ? undefined : ownNamedProperty(always.filter(isTelling).filter(isOwn), names));
  if (own !== undefined) return [own];
  // What is identified by another's is at least called something.
  // Of what has to do with several others, a `slug` may be that of one of them.
  if (ids.length > 1) return [];
  const named = isOther ? scalar : required;
  const name =
    firstNamed(named, DISTINCT_NAMES) ??
    firstNamed(scalar, CODES) ??
    // What a query demands values for is a calculation, unless it finds what things are called.
    (demanded.length === 0 || properties.length === 1
      ? measured(derivation, schema, properties.filter(isOwn))
      : undefined);
  return name === undefined ? [] : [name];
}

/** Whether the document says in words that a property is the primary key, or a part of it, as PostgREST does. */
function isDescribedAsKey({ schema }: NamedProperty): boolean {
  return /(?:^|\bthis is |<)(?:an? |the )?(?:primary key\b|pk\/>)/i.test(
    text(keyword(schema, 'description')) ?? '',
  );
}

/** The property that a parameter behind a collection names: `name` for `{columnName}` below `columns`. */
function namedByParameter(
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
  names: readonly string[],
): NamedProperty | undefined {
  return (
    parameterProperty(schema, properties, parameter) ??
    (namesEntity(parameter, names) ? tailProperty(properties, parameter, names) : undefined)
  );
}

/**
 * What rows of a statistic are about: the text or the time beside which they have nothing but numbers, if anything.
 * Undefined where a number may be what tells them apart.
 */
function measured(
  derivation: Derivation,
  { alternatives }: Schema,
  properties: readonly NamedProperty[],
): NamedProperty | undefined {
  const numbers = properties.filter(({ schema }) => isNumber(schema));
  const [about, ...others] = properties.filter((property) => !numbers.includes(property));
  if (about === undefined || others.length > 0 || alternatives.length > 0) return undefined;
  const isTold =
    isSeries(numbers) || numbers.some(({ upstreamName }) => TELLING.test(words(upstreamName).at(-1) ?? ''));
  const isAbout =
    !identifiesAny(about.upstreamName) &&
    isTelling(about) &&
    isPlainValue(about) &&
    isKeyProperty(derivation, about);
  return isAbout && !isTold ? about : undefined;
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

/** Words that begin the names of what an entity has to do with, and is not. */
const OTHERS =
  /^(?:owner|parent|creator|author|assignee|requester|created|updated|modified|last|previous|next|related|source|target)$/i;

/** Whether a property identifies something else by its name: `ownerOrganizationId`, `parent_id`. */
function isOfOther({ upstreamName }: NamedProperty): boolean {
  return OTHERS.test(words(upstreamName)[0] ?? '');
}

/** What entities of the schema are read by elsewhere, alone: `code` of `/countries/{code}`. */
function readProperty(
  derivation: Derivation,
  schema: Schema,
  scalar: readonly NamedProperty[],
): NamedProperty | undefined {
  const parameters = readParameters(derivation).get(ownSchema(schema).identity) ?? [];
  const [only, ...others] = new Set(
    parameters.map((parameter) => parameterProperty(schema, scalar, parameter)),
  );
  return others.length === 0 ? only : undefined;
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

/** Whether entities are nothing but which others belong together: all of these tell them apart. */
function isAssociation(ids: readonly NamedProperty[], properties: readonly NamedProperty[]): boolean {
  return ids.length > 1 && ids.length === properties.length && ids.every(({ required }) => required);
}

/** What an entity may be called: as its schema is, and as its collection is in the singular. */
function entityNames(schema: Schema, collection: string | undefined): readonly string[] {
  return [componentName(schema), collection && singularOf(collection)].filter((name) => name !== undefined);
}

/** The property that has the first of the names that any of them has. */
function firstNamed<Property extends NamedProperty>(
  properties: readonly Property[],
  names: readonly string[],
): Property | undefined {
  const found = names.values().map((name) => properties.find((property) => isNamed(property, name)));
  return found.find((property) => property !== undefined);
}

/** The order of `x-odata.key` where it is there, else that of the path. */
function inOrder(parts: readonly KeyPart[], named: readonly NamedProperty[] | undefined): readonly KeyPart[] {
  if (named === undefined) return parts;
  return parts.toSorted((a, b) => named.indexOf(a.property) - named.indexOf(b.property));
}

function namedKey(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  said: DocumentNode,
): readonly NamedProperty[] | undefined {
  const names = texts(said);
  const found = names.map((name) => saidProperty(derivation, properties, name));
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length === 0) return found.flatMap((property) => property ?? []);
  derivation.source.report(
    'error',
    said.pointer,
    `The key names ${quote(missing[0])}, which is not a property of the schema`,
  );
  return undefined;
}

/** The property of that name, or at a path such as `metadata/name`. */
function saidProperty(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  name: string,
): NamedProperty | undefined {
  const own = properties.find((property) => isNamed(property, name));
  return own ?? nestedKeyProperty(derivation, properties, name.split('/'));
}

function isNamed(property: NamedProperty, name: string): boolean {
  const wanted = foldedName(name);
  return foldedName(property.upstreamName) === wanted || foldedName(property.name) === wanted;
}

/** `id`, `post_id` for `postId`; and `id` for `postId` where the schema is `Post` or `BlogPost`. */
function parameterProperty(
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
): NamedProperty | undefined {
  const exact = properties.find((property) => isNamed(property, parameter));
  if (exact !== undefined) return exact;
  const entity = foldedName(componentName(schema) ?? '');
  const { whole, starts } = foldedWords(parameter);
  const start = [...starts].findLast(
    (each) => each <= entity.length && entity.endsWith(whole.slice(0, each)),
  );
  if (start === undefined) return undefined;
  return properties.find((property) => isNamed(property, whole.slice(start)));
}

/** Whether a parameter behind a collection of the entities is named like their key. */
export function isKeyParameter(
  schema: Schema,
  key: NamedProperty,
  parameter: string,
  collection: string | undefined,
): boolean {
  if (parameterProperty(schema, [key], parameter) !== undefined) return true;
  if (!isIdentifier(key.upstreamName)) return false;
  const given = foldedName(parameter);
  const names = entityNames(schema, collection);
  const whole = [...IDENTIFIERS, ...names.map(foldedName)];
  return whole.includes(given) || tailProperty([key], parameter, names) !== undefined;
}

/**
 * The word by which a name says by itself that it identifies one of the entities: that of `id`, or of `country_id` in
 * `countries`. Undefined where it does not say so.
 */
export function ownIdentifier(
  schema: Schema,
  name: string,
  collection: string | undefined,
): string | undefined {
  const owners = ['', ...entityNames(schema, collection)];
  return IDENTIFIERS.find((word) =>
    owners.some((owner) => foldedName(`${owner} ${word}`) === foldedName(name)),
  );
}

/** The property, which may not be the key, that a parameter behind a collection of the entities is named like. */
export function otherKeyProperty(
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
  collection: string | undefined,
): NamedProperty | undefined {
  const plain = properties.filter((property) => isPlainValue(property));
  const names = entityNames(schema, collection);
  const tail = namesEntity(parameter, names) ? tailProperty(plain, parameter, names) : undefined;
  return parameterProperty(schema, plain, parameter) ?? tail;
}

/** Whether a property has one text or one integer that is seen. */
function isPlainValue({ schema }: NamedProperty): boolean {
  const [type, ...others] = jsonTypes(schema);
  const isPlain = others.length === 0 && (type === 'string' || type === 'integer');
  return isPlain && !isTrue(keyword(schema, 'writeOnly'));
}

function keyProperties(
  derivation: Derivation,
  properties: readonly NamedProperty[],
): readonly NamedProperty[] {
  return properties.filter((property) => isKeyProperty(derivation, property));
}

/** Whether a property's values can be keys (CSDL 4.01, 6.5), and are seen. */
export function isKeyProperty(derivation: Derivation, { schema }: NamedProperty): boolean {
  return isKeyType(sharedPrimitiveType(derivation, schema)) && !isTrue(keyword(schema, 'writeOnly'));
}

function checkedKey(
  derivation: Derivation,
  key: readonly KeyPart[],
  named: readonly NamedProperty[] | undefined,
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const properties = new Set(key.map(({ property }) => property));
  if (properties.size !== key.length || key.length < (named?.length ?? 1)) {
    derivation.source.report(
      'error',
      at.pointer,
      'The path parameters must be the key properties, each of them once',
    );
    return undefined;
  }
  const unfit = [...properties].find((property) => !isKeyProperty(derivation, property));
  if (unfit === undefined) return key;
  derivation.source.report('error', unfit.node.pointer, unfitMessage(unfit), 'key-is-unfit');
  return undefined;
}

/**
 * The properties of a single object that a property holds, as parts of a key (CSDL 4.01, 6.5): each under the alias
 * that key predicates and rows have for it, such as `MetadataName` for `Metadata/Name`.
 */
function nestedKeyProperties(derivation: Derivation, owner: NamedProperty): readonly NamedProperty[] {
  return nestedProperties(derivation, owner).filter(({ schema }) =>
    isKeyType(sharedPrimitiveType(derivation, schema)),
  );
}

/** The property at a path such as `metadata/name`, as a part of a key; undefined where there is none. */
function nestedKeyProperty(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  [first = '', ...deeper]: readonly string[],
): NamedProperty | undefined {
  const wanted = foldedName(first);
  const found = properties.find(
    ({ name, upstreamName }) => foldedName(upstreamName) === wanted || foldedName(name) === wanted,
  );
  if (found === undefined || deeper.length === 0) return found;
  const inner = namedProperties(derivation, found.schema);
  const next = nestedKeyProperty(derivation, inner, deeper);
  return next && aliased(found, next);
}

function nestedProperties(derivation: Derivation, owner: NamedProperty): readonly NamedProperty[] {
  if (isArraySchema(owner.schema) || owner.argument === true) return [];
  return namedProperties(derivation, owner.schema).flatMap((inner) => aliased(owner, inner) ?? []);
}

/** The inner property as one of the owner's owner; undefined where the two make no name. */
function aliased(owner: NamedProperty, inner: NamedProperty): NamedProperty | undefined {
  const path = [owner.name, ...(inner.aliasOf ?? [inner.name])];
  const name = pascalCase(path.join(' '));
  if (name === undefined) return undefined;
  const within = [...(owner.within ?? []), owner.upstreamName, ...(inner.within ?? [])];
  return { ...inner, name, within, aliasOf: path };
}
