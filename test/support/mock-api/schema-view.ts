import type { ApiDocument } from './api-document.ts';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';

/** A schema with its references followed, its `allOf` merged and the first branch of a choice taken. */
export interface SchemaView {
  readonly kind: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any';
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  readonly items: JsonObject | undefined;
  /** Every other word that is said of it, such as `format` and `maximum`. */
  readonly words: JsonObject;
}

/** Views of one document's schemas, each made once. */
export type Viewer = (schema: JsonObject) => SchemaView;

export function createViewer(document: ApiDocument): Viewer {
  const views = new WeakMap<JsonObject, SchemaView>();
  return (schema) => {
    const known = views.get(schema) ?? makeView(document, schema);
    views.set(schema, known);
    return known;
  };
}

function makeView(document: ApiDocument, schema: JsonObject): SchemaView {
  const parts = partsOf(document, schema, new Set());
  const words = parts.reduce(mergeWords, {});
  const items = parts.map((part) => part['items']).filter(isObject);
  return {
    kind: kindOf(words, parts),
    nullable: allowsNull(document, schema, 0) === true && !forbidsNull(words),
    properties: propertiesOf(parts),
    required: new Set(parts.flatMap((part) => textsOf(part['required']))),
    items: bothOf(items),
    words,
  };
}

/** The schemas without references and branches that hold together. */
function partsOf(
  document: ApiDocument,
  schema: JsonObject,
  seen: ReadonlySet<JsonObject>,
): readonly JsonObject[] {
  if (seen.has(schema)) return [];
  const trail = new Set([...seen, schema]);
  const { $ref, allOf, oneOf, anyOf, ...own } = schema;
  const parts = (node: unknown): readonly JsonObject[] =>
    isObject(node) ? partsOf(document, node, trail) : [];
  return [
    own,
    ...($ref === undefined ? [] : parts(document.resolve(schema))),
    ...objectsOf(allOf).flatMap(parts),
    ...[oneOf, anyOf].flatMap((branches) => parts(firstBranch(document, branches))),
    ...discriminated(document, schema, parts),
  ];
}

function firstBranch(document: ApiDocument, branches: unknown): JsonObject | undefined {
  return objectsOf(branches).find((branch) => document.resolve(branch)['type'] !== 'null');
}

/** The discriminator's value for the selected branch; without branches, the first derived schema. */
function discriminated(
  document: ApiDocument,
  schema: JsonObject,
  parts: (node: unknown) => readonly JsonObject[],
): readonly JsonObject[] {
  const name = textAt(objectAt(schema, 'discriminator'), 'propertyName');
  if (name === '') return [];
  const mapping = Object.entries(objectAt(objectAt(schema, 'discriminator'), 'mapping'));
  const branch = firstBranch(document, schema['oneOf'] ?? schema['anyOf']);
  if (branch !== undefined && branch['$ref'] === undefined) return [];
  const reference = branch && textAt(branch, '$ref');
  const mapped = mapping.find(([, target]) => reference === undefined || target === reference);
  const value = mapped?.[0] ?? reference?.split('/').at(-1);
  if (value === undefined) return [];
  const valued: JsonObject = { properties: { [name]: { enum: [value] } } };
  return branch === undefined && mapped !== undefined ? [valued, ...parts({ $ref: mapped[1] })] : [valued];
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** Combines the restrictions of several parts on a property. */
function propertiesOf(parts: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject[]>();
  for (const part of parts) {
    for (const [name, schema] of Object.entries(objectAt(part, 'properties'))) {
      found.set(name, [...(found.get(name) ?? []), isObject(schema) ? schema : {}]);
    }
  }
  return new Map([...found].map(([name, schemas]) => [name, bothOf(schemas) ?? {}]));
}

function bothOf(schemas: readonly JsonObject[]): JsonObject | undefined {
  return schemas.length > 1 ? { allOf: schemas } : schemas[0];
}

function mergeWords(merged: JsonObject, part: JsonObject): JsonObject {
  const { properties, required, items, ...words } = part;
  const joined = { ...merged, ...words };
  return {
    ...joined,
    ...both(merged, words, 'minimum', (a, b) => Math.max(Number(a), Number(b))),
    ...both(merged, words, 'maximum', (a, b) => Math.min(Number(a), Number(b))),
    ...both(merged, words, 'enum', commonValues),
    ...both(merged, words, 'type', narrowerType),
  };
}

function both(
  a: JsonObject,
  b: JsonObject,
  word: string,
  merge: (a: unknown, b: unknown) => unknown,
): JsonObject {
  return a[word] === undefined || b[word] === undefined ? {} : { [word]: merge(a[word], b[word]) };
}

function commonValues(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return a;
  const common = a.filter((value) => b.includes(value));
  return common.length > 0 ? common : b;
}

function narrowerType(a: unknown, b: unknown): unknown {
  return typeNames(a).includes('integer') ? a : b;
}

function typeNames(type: unknown): readonly string[] {
  return typeof type === 'string' ? [type] : textsOf(type);
}

function kindOf(words: JsonObject, parts: readonly JsonObject[]): SchemaView['kind'] {
  const [type] = typeNames(words['type']).filter((name) => name !== 'null');
  const says = (name: string): boolean => parts.some((part) => part[name] !== undefined);
  switch (type) {
    case 'object':
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    default:
      if (says('properties') || isObject(words['additionalProperties'])) return 'object';
      if (says('items')) return 'array';
      if (says('format') || says('pattern') || says('maxLength')) return 'string';
      return says('minimum') || says('maximum') ? 'number' : 'any';
  }
}

/** Undefined where nothing is said of it. `nullable` beside a reference is meant, although 3.0.3 does not count it. */
function allowsNull(document: ApiDocument, schema: JsonObject, depth: number): boolean | undefined {
  if (schema['nullable'] === true) return true;
  if (depth > 16) return undefined;
  const deeper = (node: JsonObject) => allowsNull(document, node, depth + 1);
  const type = schema['type'];
  if (type !== undefined) return typeNames(type).includes('null');
  if (schema['$ref'] !== undefined) return deeper(document.resolve(schema));
  const branches = [...objectsOf(schema['oneOf']), ...objectsOf(schema['anyOf'])];
  if (branches.length > 0) return branches.some((branch) => deeper(branch) === true);
  const declared = objectsOf(schema['allOf'])
    .map(deeper)
    .filter((word) => word !== undefined);
  return declared.length > 0 ? declared.every((word) => word) : undefined;
}

function forbidsNull(words: JsonObject): boolean {
  if (words['const'] !== undefined) return true;
  return Array.isArray(words['enum']) && !words['enum'].includes(null);
}
