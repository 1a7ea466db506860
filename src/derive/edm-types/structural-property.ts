import type { DescribedStructuralProperty, DescribedTypeUse } from '../../model/description.ts';
import { foldedName, freeChoice, isModelName, pascalCase } from '../../model/names.ts';
import { hasLiteralForm, type JsonType } from '../../model/type-use.ts';
import { type DocumentNode, isTrue, prose, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import {
  isArraySchema,
  isObjectSchema,
  itemNode,
  jsonTypes,
  keyword,
  ownSchema,
  requiredNames,
  type Schema,
  schemaProperties,
  setting,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { propertyDocumentation } from './documentation.ts';
import { enumerationMembers } from './enumeration.ts';
import { identifiesAny } from './identifier.ts';
import { NUMERIC_TYPES, primitiveType, widestType } from './primitive-type.ts';

/** A property with its name in the model. */
export interface NamedProperty extends WrittenProperty {
  readonly name: string;
  /** No JSON has it: it is the parameter that the entity was read by. */
  readonly argument?: true;
  /** See {@link StructuralProperty.isRowKey}. */
  readonly isRowKey?: true;
  /** See {@link StructuralProperty.within}. */
  readonly within?: readonly string[];
  /** See {@link StructuralProperty.aliasOf}. */
  readonly aliasOf?: readonly string[];
}

/** The properties of an object schema that are exposed, each with its name in the model. */
export function namedProperties(derivation: Derivation, schema: Schema): readonly NamedProperty[] {
  return withNames(derivation, placedProperties(derivation, schema));
}

/**
 * The properties of an entity. If its schema is only a wrapper, as in `[{ "product": { "id": 1 } }]`, they
 * are those of the inner object.
 */
export function entityProperties(derivation: Derivation, schema: Schema): readonly NamedProperty[] {
  const written = writtenProperties(derivation, schema);
  const held = isPlainObject(derivation, schema) ? heldEntity(derivation, written) : undefined;
  return held === undefined
    ? namedProperties(derivation, schema)
    : withNames(derivation, placedWithin(derivation, written, held));
}

/** Whether a schema is a single object schema without `x-odata` extensions for its keys. */
function isPlainObject({ inheritance }: Derivation, schema: Schema): boolean {
  const hasKinds = schema.alternatives.length > 0 || schema.discriminated;
  const isOfFamily = inheritance.baseOf(schema) !== undefined || inheritance.derivedFrom(schema).length > 0;
  return !hasKinds && !isOfFamily && setting(schema, 'key') === undefined;
}

/** Names of members next to a nested entity: links and resource names. */
const BESIDE_ENTITY = /^(?:links?|meta|metadata|href|self|url|uri|etag|type|kind|object|expand(?:able)?)$/;

/** The only nested object with several properties, if the other members do not describe an entity. */
function heldEntity(
  derivation: Derivation,
  written: readonly WrittenProperty[],
): WrittenProperty | undefined {
  const [held, ...others] = written.filter(
    ({ upstreamName }) => !BESIDE_ENTITY.test(foldedName(upstreamName)),
  );
  if (held === undefined || others.length > 0 || held.schema.hidden || !isObjectSchema(held.schema))
    return undefined;
  const isOne = isPlainObject(derivation, held.schema);
  return isOne && writtenProperties(derivation, held.schema).length > 1 ? held : undefined;
}

function withNames(derivation: Derivation, properties: readonly PlacedProperty[]): readonly NamedProperty[] {
  const taken = new Set<string>();
  return properties.flatMap((property) => {
    if (property.schema.hidden) return [];
    const { upstreamName, node } = property;
    const name = propertyName(derivation, upstreamName, node, property.schema, taken);
    if (name === undefined) return [];
    taken.add(name);
    return { name, ...property };
  });
}

interface PlacedProperty extends WrittenProperty {
  readonly within?: readonly string[];
}

/** The properties of an object, and in the place of a resource's attributes those that these have. */
function placedProperties(derivation: Derivation, schema: Schema): readonly PlacedProperty[] {
  const written = writtenProperties(derivation, schema);
  if (!isResourceObject(schema)) return written;
  const attributes = written.find(({ upstreamName }) => upstreamName === ATTRIBUTES);
  return attributes === undefined || attributes.schema.hidden
    ? written
    : placedWithin(derivation, written, attributes);
}

/** The properties with those of the object that one of them holds in its place. */
function placedWithin(
  derivation: Derivation,
  written: readonly WrittenProperty[],
  holder: WrittenProperty,
): readonly PlacedProperty[] {
  const held = writtenProperties(derivation, holder.schema);
  if (held.length === 0) return written;
  const placed = held.map((property) => ({
    ...property,
    required: property.required && holder.required,
    within: [holder.upstreamName],
  }));
  return [...written.filter((property) => property !== holder), ...placed];
}

function propertyName(
  { source }: Derivation,
  upstreamName: string,
  node: DocumentNode,
  schema: Schema,
  taken: ReadonlySet<string>,
): string | undefined {
  // No row may get a property of that name, not even on its way to another one.
  const wanted =
    upstreamName === '__proto__' ? undefined : (givenName(source, schema) ?? pascalCase(upstreamName));
  if (wanted === undefined) {
    source.report('warning', node.pointer, `The property is left out: ${quote(upstreamName)} makes no name`);
    return undefined;
  }
  const name = freeChoice(isModelName(upstreamName) ? [wanted, upstreamName] : [wanted], taken);
  if (name !== wanted) {
    source.report('warning', node.pointer, `The property is named ${name}: another one is named ${wanted}`);
  }
  return name;
}

/** The name that `x-odata.name` gives a property or a parameter. */
export function givenName(source: DocumentSource, schema: Schema): string | undefined {
  const declared = setting(schema, 'name');
  const name = text(declared);
  markUsed(source, schema, ['name']);
  if (declared === undefined || name === undefined || isModelName(name)) return name;
  source.report(
    'error',
    declared.pointer,
    `${quote(name)} is not a name: letters, digits and _ are, not beginning with a digit`,
  );
  return undefined;
}

/** The property with all declarations of the document besides its type. */
export function structuralProperty(
  derivation: Derivation,
  { name, upstreamName, schema, required, argument, isRowKey, within, aliasOf }: NamedProperty,
  use: DescribedTypeUse,
): DescribedStructuralProperty {
  markUsed(derivation.source, schema, ['immutable']);
  return {
    name,
    upstreamName,
    ...(within && { within }),
    ...(aliasOf && { aliasOf }),
    upstreamTypes: upstreamTypes(derivation, schema),
    ...use,
    description: prose(keyword(schema, 'description')),
    defaultValue: defaultValue(derivation, schema, use),
    computed: isTrue(keyword(schema, 'readOnly')),
    writeOnly: isTrue(keyword(schema, 'writeOnly')),
    ...(required && { required }),
    ...(isPromised(derivation, schema, required, use) && { promised: true }),
    ...(argument && { argument }),
    ...(isRowKey && { isRowKey }),
    immutable: isTrue(setting(schema, 'immutable')),
    deprecated: isTrue(keyword(schema, 'deprecated')),
    ...propertyDocumentation(derivation.source, schema),
    ...textSettings(derivation.source, schema, use.type.name),
  };
}

/** Whether a strict document has the property in each object, and never null for it. */
export function isPromised(
  { source }: Derivation,
  schema: Schema,
  required: boolean,
  { collection, nullable }: Pick<DescribedTypeUse, 'collection' | 'nullable'>,
): boolean {
  return source.strict && required && !(collection ? schema.nullable : nullable);
}

/** The settings of texts and of the content of texts or binary values. */
function textSettings(
  source: DocumentSource,
  schema: Schema,
  type: string,
): Pick<DescribedStructuralProperty, 'searchable' | 'mediaType'> {
  const isText = type === 'Edm.String';
  if (!isText && type !== 'Edm.Binary') return { searchable: undefined, mediaType: undefined };
  markUsed(source, schema, isText ? ['searchable', 'mediaType'] : ['mediaType']);
  const searchable = isText ? setting(schema, 'searchable')?.value : undefined;
  return {
    searchable: typeof searchable === 'boolean' ? searchable : undefined,
    mediaType: text(setting(schema, 'mediaType')),
  };
}

/** The members of a resource object (JSON:API 1.1, 5.2). */
const MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'lid',
  'type',
  'attributes',
  'relationships',
  'links',
  'meta',
]);

/** The JSON:API member with the attributes of a resource. */
const ATTRIBUTES = 'attributes';

/**
 * Whether the values of a schema are resource objects of JSON:API: members of `attributes` are properties of
 * the resource, as its `id` is.
 */
function isResourceObject(schema: Schema): boolean {
  if (!isObjectSchema(schema) || schema.alternatives.length > 0) return false;
  const names = [...schemaProperties(schema).keys()];
  return names.includes('type') && names.includes(ATTRIBUTES) && names.every((name) => MEMBERS.has(name));
}

const JSON_TYPES: readonly JsonType[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** The JSON types that a schema allows its values beside null, or the items of its arrays. */
export function upstreamTypes({ read }: Derivation, schema: Schema): readonly JsonType[] {
  const items = isArraySchema(schema) ? itemNode(schema) : undefined;
  const value = items === undefined ? schema : read(items);
  if (value === undefined) return [];
  const branches = value.alternatives.flatMap((branch) => read(branch) ?? []);
  const allowed = new Set([value, ...branches].flatMap(jsonTypes));
  return JSON_TYPES.filter((type) => allowed.has(type) && !(type === 'integer' && allowed.has('number')));
}

/** A property as schemas have it. */
export interface WrittenProperty {
  readonly upstreamName: string;
  readonly node: DocumentNode;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The properties of an object schema: its own, and what all of the schemas have that it may be one of. */
export function writtenProperties(derivation: Derivation, schema: Schema): readonly WrittenProperty[] {
  const required = requiredNames(schema);
  const own = [...schemaProperties(schema)].flatMap(([upstreamName, node]) => {
    const property = derivation.read(node);
    if (property === undefined) return [];
    const typed = withKeyType(derivation, upstreamName, property);
    return { upstreamName, node, schema: typed, required: required.has(upstreamName) };
  });
  const names = new Set(own.map(({ upstreamName }) => upstreamName));
  const shared = sharedProperties(derivation, schema).filter(({ upstreamName }) => !names.has(upstreamName));
  return [...shared, ...own];
}

/**
 * An identifier of `type: number`, as documents generated from JavaScript have it, is an Edm.Decimal: a binary
 * floating-point number cannot be a key (CSDL 4.01, 6.5).
 */
const BINARY: ReadonlySet<string> = new Set(['Edm.Double', 'Edm.Single']);

function withKeyType({ source }: Derivation, name: string, schema: Schema): Schema {
  const isBinary = BINARY.has(primitiveType(source, schema) ?? '');
  if (!identifiesAny(name) || !isBinary || setting(schema, 'type') !== undefined) return schema;
  const layer = { value: { 'x-odata': { type: 'Edm.Decimal' } }, pointer: schema.identity };
  return { ...schema, layers: [layer, ...schema.layers] };
}

function sharedProperties(derivation: Derivation, schema: Schema): readonly WrittenProperty[] {
  return [...branchProperties(derivation, schema, [])].flatMap(([upstreamName, { nodes, required }]) => {
    const [node] = nodes;
    const property = sharedSchema(derivation, schema, nodes);
    return node === undefined || property === undefined
      ? []
      : [{ upstreamName, node, schema: property, required }];
  });
}

/** A property with its nodes in several schemas. */
interface PropertyNodes {
  readonly nodes: readonly DocumentNode[];
  readonly required: boolean;
}

/**
 * The properties that all branches have, with the schemas of each branch. A branch without declared
 * properties may have any property.
 */
function branchProperties(
  derivation: Derivation,
  schema: Schema,
  above: readonly string[],
): ReadonlyMap<string, PropertyNodes> {
  const within = [...above, schema.identity];
  const branches = schema.alternatives
    .flatMap((branch) => derivation.read(branch) ?? [])
    .map((branch) => {
      const isKnown = within.includes(branch.identity);
      const inner = isKnown ? [] : branchProperties(derivation, branch, within);
      return new Map([...inner, ...ownProperties(branch)]);
    });
  const typed = branches.filter(({ size }) => size > 0);
  const [first, ...others] = typed;
  return new Map(
    [...(first ?? [])].flatMap(([name, { nodes, required }]) => {
      const found = others.flatMap((each) => each.get(name) ?? []);
      if (found.length < others.length) return [];
      const all = { nodes: [...nodes, ...found.flatMap((each) => each.nodes)] };
      const isAlways = typed.length === branches.length && required && found.every((each) => each.required);
      return [[name, { ...all, required: isAlways }]];
    }),
  );
}

function ownProperties(schema: Schema): readonly (readonly [string, PropertyNodes])[] {
  const required = requiredNames(schema);
  return [...schemaProperties(schema)].map(([name, node]) => [
    name,
    { nodes: [node], required: required.has(name) },
  ]);
}

/** The schema that all of them have, or one that is any of them where all have one primitive type. */
function sharedSchema(
  { source, read }: Derivation,
  owner: Schema,
  nodes: readonly DocumentNode[],
): Schema | undefined {
  const [first] = nodes;
  const schemas = nodes.flatMap((node) => read(node) ?? []);
  const isSame = nodes.every(({ value }) => JSON.stringify(value) === JSON.stringify(first?.value));
  if (isSame || schemas.length < nodes.length) return isSame ? schemas[0] : undefined;
  if (widestType(source, schemas) === undefined) return undefined;
  const name = first?.pointer.slice(first.pointer.lastIndexOf('/'));
  return {
    identity: `${owner.identity}/properties${name}`,
    layers: [],
    nullable: schemas.some(({ nullable }) => nullable),
    parts: [],
    alternatives: nodes,
    discriminated: false,
    hidden: schemas.some(({ hidden }) => hidden),
  };
}

/** The forms of numbers, by types whose values are numbers in JSON and may be texts in the document. */
const NUMBERS: Readonly<Record<string, RegExp>> = {
  'Edm.Int64': /^-?\d{1,19}$/,
  'Edm.Decimal': /^-?\d+(?:\.\d+)?$/,
};

/** The `default` as CSDL writes it (CSDL 4.01, 7.2.7); undefined for one that is no value of the type. */
export function defaultValue(
  derivation: Derivation,
  schema: Schema,
  { type, collection }: Pick<DescribedTypeUse, 'type' | 'collection'>,
): string | undefined {
  const value = keyword(schema, 'default')?.value;
  if (collection || value === undefined || value === null) return undefined;
  if (type.kind === 'enumeration') {
    const members = enumerationMembers(derivation, ownSchema(schema));
    const nameOf = (each: unknown) => members.find(({ upstreamValue }) => upstreamValue === each)?.name;
    const names = Array.isArray(value) ? value.map(nameOf) : [nameOf(value)];
    return names.length === 0 || names.includes(undefined) ? undefined : names.join(',');
  }
  return type.kind === 'primitive' && isOfType(type.name, value) ? String(value) : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'Edm.Boolean') return typeof value === 'boolean';
  if (type === 'Edm.String') return typeof value === 'string' || typeof value === 'number';
  if (typeof value === 'string') return NUMBERS[type]?.test(value) ?? hasLiteralForm(type, value);
  return NUMERIC_TYPES.has(type) && isNumberOf(type, value);
}

function isNumberOf(type: string, value: unknown): boolean {
  const isWhole = ['Edm.Byte', 'Edm.SByte', 'Edm.Int16', 'Edm.Int32', 'Edm.Int64'].includes(type);
  return isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
}
