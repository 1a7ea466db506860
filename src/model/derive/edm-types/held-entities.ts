import {
  type DocumentNode,
  isObjectNode,
  items,
  member,
  members,
} from '../../../openapi/document/document-node.ts';
import type { Schema, SchemaReader } from '../../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';

/** Gives the name of the entity type that a schema becomes; undefined where it becomes none. */
interface EntityNames {
  readonly entity: (schema: Schema) => string | undefined;
}

/** The entity types that the values themselves may be of, where the schema merges theirs or chooses between some. */
export function entitiesOf(derivation: Derivation, types: EntityNames, schema: Schema): readonly string[] {
  return entitiesBehind(types, schema, ({ parts, alternatives }) => [
    ...parts,
    ...alternatives.flatMap((node) => derivation.read(node) ?? []),
  ]);
}

/** What has been found within objects of a document. */
const known = new WeakMap<SchemaReader, Map<unknown, readonly string[]>>();

/** The entity types whose entities may be in the values, wherever in them. */
export function entitiesWithin({ read }: Derivation, types: EntityNames, schema: Schema): readonly string[] {
  const ofDocument = known.get(read) ?? new Map<unknown, readonly string[]>();
  known.set(read, ofDocument);
  const place = placeOf(schema);
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

/** What an entity holds is known by its type. An object that stands in many places is gone through once. */
function entitiesBehind(
  types: EntityNames,
  schema: Schema,
  next: (schema: Schema) => readonly Schema[],
): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const queue = [schema];
  for (let each = queue.pop(); each !== undefined; each = queue.pop()) {
    const place = placeOf(each);
    if (seen.has(place)) continue;
    seen.add(place);
    const entity = types.entity(each);
    if (entity === undefined) queue.push(...next(each));
    else found.add(entity);
  }
  return [...found].sort();
}

function placeOf({ identity, layers }: Schema): unknown {
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

/** The schemas that a schema object has for values, and for what is in them. */
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
