import type { DescribedTypeUse } from '../../model/description.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import {
  type DocumentNode,
  isObjectNode,
  items,
  member,
  members,
} from '../../openapi/document/document-node.ts';
import {
  isArraySchema,
  isObjectSchema,
  itemNode,
  jsonTypes,
  keyword,
  type Schema,
  type SchemaReader,
  setting,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { isEnumeration, listedFlags } from './enumeration.ts';
import { facetsOf, isDefinition } from './facets.ts';
import { primitiveType, sharedPrimitiveType } from './primitive-type.ts';

/** The EDM type a schema maps to, or why it maps to none. */
export type SchemaUse =
  | {
      readonly kind: 'structural';
      readonly use: DescribedTypeUse;
      /** The reason why the values have no specific type, if so. */
      readonly untyped?: string;
    }
  /** Entities within the JSON of others. */
  | {
      readonly kind: 'embedded';
      readonly entityType: string;
      readonly collection: boolean;
      readonly nullable: boolean;
    }
  | { readonly kind: 'unmapped'; readonly reason: string };

/** Gives the types that schemas become; `suggestion` is the name of a type whose schema has none. */
export interface TypeNames {
  readonly enumeration: (schema: Schema, suggestion: string, listed: boolean) => string | undefined;
  /** The type definition that a component's schema becomes, whose primitive type is that one. */
  readonly definition: (schema: Schema, type: PrimitiveTypeName | OpaqueTypeName) => string | undefined;
  readonly entity: (schema: Schema) => string | undefined;
  readonly complex: (schema: Schema, suggestion: string) => string | undefined;
}

/** Maps a schema to its use in the model. */
export function schemaUse(
  derivation: Derivation,
  types: TypeNames,
  schema: Schema,
  suggestion: string,
): SchemaUse {
  const flags = listedFlags(derivation, schema);
  if (flags !== undefined) return enumerationUse(derivation, types, flags, suggestion, true);
  const use = isArraySchema(schema)
    ? collectionUse(derivation, types, schema, suggestion)
    : singleUse(derivation, types, schema, suggestion);
  return use.kind === 'structural' && use.untyped !== undefined
    ? holding(use, entitiesWithin(derivation, types, schema))
    : use;
}

function holding(
  use: Extract<SchemaUse, { kind: 'structural' }>,
  heldEntities: readonly string[],
): SchemaUse {
  return heldEntities.length === 0 ? use : { ...use, use: { ...use.use, heldEntities } };
}

function collectionUse(
  derivation: Derivation,
  types: TypeNames,
  schema: Schema,
  suggestion: string,
): SchemaUse {
  const node = itemNode(schema);
  const item = node === undefined ? undefined : derivation.read(node);
  if (item?.hidden === true) return { kind: 'unmapped', reason: 'its items are not exposed' };
  if (node !== undefined && item === undefined)
    return { kind: 'unmapped', reason: 'its items cannot be read' };
  if (item === undefined) return untypedUse('nothing says of what type its items are', true);
  if (isArraySchema(item)) return untypedUse('OData has no collections of collections', true);
  const use = singleUse(derivation, types, item, suggestion);
  switch (use.kind) {
    case 'structural':
      return { ...use, use: { ...use.use, collection: true } };
    case 'embedded':
      return { ...use, collection: true };
    case 'unmapped':
      return use;
  }
}

function singleUse(derivation: Derivation, types: TypeNames, schema: Schema, suggestion: string): SchemaUse {
  const { nullable } = schema;
  if (isEnumeration(derivation.source, schema))
    return enumerationUse(derivation, types, schema, suggestion, false);
  const primitive = primitiveType(derivation.source, schema);
  if (primitive !== undefined) {
    const facets = facetsOf(derivation.source, schema, primitive);
    const isDefined = isDefinition(derivation, schema, primitive, facets);
    const definition = isDefined ? types.definition(schema, primitive) : undefined;
    const type = { kind: 'primitive', name: primitive } as const;
    return { kind: 'structural', use: { type, definition, collection: false, nullable, facets } };
  }
  const entityType = types.entity(schema);
  if (entityType !== undefined) return { kind: 'embedded', entityType, collection: false, nullable };
  if (isComplex(derivation, schema)) {
    const use = named('complex', types.complex(schema, suggestion), nullable);
    return use.kind === 'structural' ? holding(use, entitiesOf(derivation, types, schema)) : use;
  }
  return alternativeUse(derivation, schema);
}

function enumerationUse(
  { source }: Derivation,
  types: TypeNames,
  schema: Schema,
  suggestion: string,
  listed: boolean,
): SchemaUse {
  markUsed(source, schema, ['enum', 'flags', 'members']);
  return named('enumeration', types.enumeration(schema, suggestion, listed), schema.nullable);
}

function named(kind: 'enumeration' | 'complex', name: string | undefined, nullable: boolean): SchemaUse {
  if (name === undefined) return untypedUse('its type has no name');
  return { kind: 'structural', use: { type: { kind, name }, collection: false, nullable, facets: {} } };
}

/** An object, or one of several objects. */
function isComplex({ inheritance, read }: Derivation, schema: Schema): boolean {
  const { alternatives } = schema;
  if (alternatives.length === 0) return isObjectSchema(schema);
  if (inheritance.isUnion(schema)) return true;
  const branches = alternatives.flatMap((branch) => read(branch) ?? []);
  return branches.length === alternatives.length && branches.every(isObjectSchema);
}

/** Branches that are all of one primitive type, such as two formats of texts, are of that type. */
function alternativeUse({ source, read }: Derivation, schema: Schema): SchemaUse {
  const branches = schema.alternatives.flatMap((branch) => read(branch) ?? []);
  const name = sharedPrimitiveType({ source, read }, schema);
  const [first] = branches;
  if (name === undefined || first === undefined) return untypedUse(untypedReason(schema));
  const { precision, scale } = facetsOf(source, branches.find(hasPattern) ?? first, name);
  const facets = {
    ...facetsOf(source, { ...schema, layers: [] }, name),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  };
  const nullable = schema.nullable || branches.some((branch) => branch.nullable);
  const type = { kind: 'primitive', name } as const;
  return { kind: 'structural', use: { type, collection: false, nullable, facets } };
}

function hasPattern(schema: Schema): boolean {
  return keyword(schema, 'pattern') !== undefined;
}

/** Values that each tell their type themselves (CSDL 4.01, 4.2). */
function untypedUse(reason: string, collection = false): SchemaUse {
  const type = { kind: 'primitive', name: 'Edm.Untyped' } as const;
  return { kind: 'structural', use: { type, collection, nullable: true, facets: {} }, untyped: reason };
}

function untypedReason(schema: Schema): string {
  if (schema.alternatives.length > 0) return 'its values have one of several types';
  const types = jsonTypes(schema);
  if (types.length > 1) return `its values are ${types.join(' or ')}`;
  if (setting(schema, 'type') !== undefined) return 'its type cannot be had';
  if (keyword(schema, 'type') === undefined) return 'its type is not declared';
  return schema.nullable ? 'it is always null' : 'nothing is of all the types that it must have';
}

/** Returns the name of the entity type of a schema; undefined if the schema has none. */
interface EntityNames {
  readonly entity: (schema: Schema) => string | undefined;
}

/** The entity types of the values, if the schema merges entity schemas or chooses between them. */
function entitiesOf(derivation: Derivation, types: EntityNames, schema: Schema): readonly string[] {
  return entitiesBehind(types, schema, ({ parts, alternatives }) => [
    ...parts,
    ...alternatives.flatMap((node) => derivation.read(node) ?? []),
  ]);
}

/** The cached results by object of a document. */
const known = new WeakMap<SchemaReader, Map<unknown, readonly string[]>>();

/** The entity types whose entities may be in the values, wherever in them. */
function entitiesWithin({ read }: Derivation, types: EntityNames, schema: Schema): readonly string[] {
  const ofDocument = known.get(read) ?? new Map<unknown, readonly string[]>();
  known.set(read, ofDocument);
  const place = visitKey(schema);
  const found =
    ofDocument.get(place) ??
    entitiesBehind(types, schema, (each) => [
      ...each.parts,
      ...each.layers.flatMap(nodesWithin).flatMap((node) => read(node) ?? []),
    ]);
  ofDocument.set(place, found);
  return found;
}

/** The entity types whose entities may be in properties that an object schema does not declare. */
export function undeclaredEntities(
  derivation: Derivation,
  types: EntityNames,
  schema: Schema,
): readonly string[] {
  const undeclared = [
    ...schema.layers.flatMap((layer) => [...valuesAt(layer, UNDECLARED), ...membersAt(layer, PATTERNS)]),
    ...schema.alternatives,
  ];
  const found = undeclared
    .filter(isObjectNode)
    .flatMap((node) => derivation.read(node) ?? [])
    .flatMap((each) => entitiesWithin(derivation, types, each));
  return [...new Set(found)];
}

/** The embedded entities of an entity are known by its type. Shared objects are visited once. */
function entitiesBehind(
  types: EntityNames,
  schema: Schema,
  next: (schema: Schema) => readonly Schema[],
): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const queue = [schema];
  for (let each = queue.pop(); each !== undefined; each = queue.pop()) {
    const place = visitKey(each);
    if (seen.has(place)) continue;
    seen.add(place);
    const entity = types.entity(each);
    if (entity === undefined) queue.push(...next(each));
    else found.add(entity);
  }
  return [...found].sort();
}

function visitKey({ identity, layers }: Schema): unknown {
  return layers.find(({ pointer }) => pointer === identity)?.value ?? identity;
}

const UNDECLARED = ['additionalProperties', 'unevaluatedProperties'];
const PATTERNS = ['patternProperties', 'dependentSchemas'];
const VALUES = [
  ...UNDECLARED,
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'if',
  'then',
  'else',
];
const LISTS = ['prefixItems', 'oneOf', 'anyOf', 'allOf'];

/** The schemas of an object's properties and additional properties. */
function nodesWithin(layer: DocumentNode): readonly DocumentNode[] {
  return [
    ...valuesAt(layer, VALUES),
    ...LISTS.flatMap((name) => items(member(layer, name))),
    ...membersAt(layer, [...PATTERNS, 'properties']),
  ].filter(isObjectNode);
}

function valuesAt(layer: DocumentNode, names: readonly string[]): readonly DocumentNode[] {
  return names.flatMap((name) => member(layer, name) ?? []);
}

function membersAt(layer: DocumentNode, names: readonly string[]): readonly DocumentNode[] {
  return names.flatMap((name) => members(member(layer, name)).map(([, node]) => node));
}
