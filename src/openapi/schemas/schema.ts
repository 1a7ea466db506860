import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  nodeBelow,
  text,
  texts,
} from '../document/document-node.ts';

/**
 * A schema with resolved references, merged `allOf` and separated null.
 *
 * `layers` are all schema objects for the value, the outermost first; outer ones override inner ones.
 */
export interface Schema {
  /** The pointer of the referenced schema: equal for two uses of the same component. */
  readonly identity: string;
  /** The identity of the original schema, for a variant with an entity type of its own. */
  readonly variantOf?: string;
  readonly layers: readonly DocumentNode[];
  readonly nullable: boolean;
  /** The schemas that it merges by `allOf`. */
  readonly parts: readonly Schema[];
  /** The branches of `oneOf` or `anyOf` beside null, if there are several. */
  readonly alternatives: readonly DocumentNode[];
  /** True if a `discriminator`, own or merged, distinguishes its values. */
  readonly discriminated: boolean;
  /** True for `x-odata: false` on the schema or on the referenced component. */
  readonly hidden: boolean;
}

/** Returns the schema at a node; undefined, with a finding, if it is invalid. */
export type SchemaReader = (node: DocumentNode) => Schema | undefined;

/** Caches results by schema, because they are requested repeatedly. */
function once<Said>(find: (schema: Schema) => Said): (schema: Schema) => Said {
  const known = new WeakMap<Schema, { readonly said: Said }>();
  return (schema) => {
    const found = known.get(schema) ?? { said: find(schema) };
    known.set(schema, found);
    return found.said;
  };
}

/** The value of a keyword in the outermost layer that has it. */
export function keyword(schema: Schema, name: string): DocumentNode | undefined {
  return firstOf(schema.layers, (layer) => member(layer, name));
}

/** The value of an `x-odata` member in the outermost layer that has it. */
export function setting(schema: Schema, key: string): DocumentNode | undefined {
  return firstOf(schema.layers, (layer) => member(member(layer, 'x-odata'), key));
}

/** The `discriminator` of the schema itself, not of a merged one. */
export function discriminatorOf(schema: Schema): DocumentNode | undefined {
  const own = schema.layers.find(({ pointer }) => pointer === schema.identity);
  return member(own, 'discriminator');
}

export function isMediaSchema(schema: Schema): boolean {
  return isTrue(setting(schema, 'hasStream')) || setting(schema, 'stream') !== undefined;
}

/** The value of a keyword at the reference or in the referenced schema, without merged schemas. */
export function ownKeyword(schema: Schema, name: string): DocumentNode | undefined {
  return firstOf(ownLayers(schema), (layer) => member(layer, name));
}

/** The value of its own `x-odata` member. */
export function ownSetting(schema: Schema, key: string): DocumentNode | undefined {
  return firstOf(ownLayers(schema), (layer) => member(member(layer, 'x-odata'), key));
}

function ownLayers({ identity, layers }: Schema): readonly DocumentNode[] {
  const place = layers.findIndex(({ pointer }) => pointer === identity);
  return layers.filter(({ pointer }, index) => index <= place || pointer.startsWith(`${identity}/`));
}

function firstOf(
  layers: readonly DocumentNode[],
  find: (layer: DocumentNode) => DocumentNode | undefined,
): DocumentNode | undefined {
  for (const layer of layers) {
    const found = find(layer);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The referenced schema, without the layers of the reference. */
export function ownSchema(schema: Schema): Schema {
  const own = schema.layers.findIndex(({ pointer }) => pointer === schema.identity);
  return own <= 0 ? schema : { ...schema, layers: schema.layers.slice(own) };
}

/** The JSON types beside null that all layers allow; inferred without a `type`. */
export const jsonTypes = once((schema: Schema): readonly string[] => {
  const declared = schema.layers.flatMap((layer) => member(layer, 'type') ?? []).map(texts);
  if (declared.length > 0) {
    const types = declared.reduce(sharedTypes).filter((type) => type !== 'null');
    return isNumberOrItsText(schema, types) ? types.filter((type) => type !== 'string') : types;
  }
  const has = (name: string) => keyword(schema, name) !== undefined;
  if (['properties', 'additionalProperties', 'patternProperties'].some(has)) return ['object'];
  if (['items', 'prefixItems'].some(has)) return ['array'];
  return [...new Set(valueNodes(schema).flatMap(({ value }) => jsonTypeOf(value) ?? []))];
});

const NUMBER_FORMATS = /^(?:u?int\d+|float|double|decimal)$/;

/** Whether values are numbers that may be written as strings: `type: [integer, string], format: int32`. */
function isNumberOrItsText(schema: Schema, types: readonly string[]): boolean {
  const isEither = types.includes('string') && (types.includes('integer') || types.includes('number'));
  return isEither && NUMBER_FORMATS.test(text(keyword(schema, 'format')) ?? '');
}

/** Every integer is a number. */
function sharedTypes(outer: readonly string[], inner: readonly string[]): readonly string[] {
  const allows = (types: readonly string[], type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [
    ...outer.filter((type) => allows(inner, type)),
    ...inner.filter((type) => !outer.includes(type) && allows(outer, type)),
  ];
}

/**
 * All allowed values, including null: those of `const` or `enum`, or of all branches of a `oneOf` or `anyOf`.
 * Empty if the schema does not enumerate them.
 */
export function valueNodes(schema: Schema): readonly DocumentNode[] {
  const constant = keyword(schema, 'const');
  if (constant !== undefined) return [constant];
  const listed = items(keyword(schema, 'enum'));
  if (listed.length > 0) return listed;
  const branches = schema.alternatives.map((branch) => {
    const only = member(branch, 'const');
    return only === undefined ? items(member(branch, 'enum')) : [only];
  });
  return branches.every((values) => values.length > 0) ? branches.flat() : [];
}

function jsonTypeOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}

export function isObjectSchema(schema: Schema): boolean {
  const types = jsonTypes(schema);
  return types.length === 1 && types[0] === 'object';
}

export function isArraySchema(schema: Schema): boolean {
  const types = jsonTypes(schema);
  return types.length === 1 && types[0] === 'array';
}

/** The schema of items after those of a tuple. */
export function restNode(schema: Schema): DocumentNode | undefined {
  return joinedNode(
    `${schema.identity}/items`,
    schema.layers.flatMap((layer) => member(layer, 'items') ?? []),
  );
}

/** The schema of items; for a tuple, only if all positions have the same. */
export function itemNode(schema: Schema): DocumentNode | undefined {
  const places = items(keyword(schema, 'prefixItems'));
  const rest = restNode(schema);
  const written = [...places, ...(rest === undefined || rest.value === false ? [] : [rest])];
  const [first] = written;
  const isSame = written.every(({ value }) => JSON.stringify(value) === JSON.stringify(first?.value));
  return isSame ? first : undefined;
}

/**
 * The properties of an object schema, merged ones first; if several layers describe a property, all of them
 * apply.
 */
export const schemaProperties = once((schema: Schema): ReadonlyMap<string, DocumentNode> => {
  const written = schema.layers.toReversed().flatMap((layer) => members(member(layer, 'properties')));
  const places = Map.groupBy(written, ([name]) => name);
  return new Map(
    [...places].flatMap(([name, inner]) => {
      const { pointer } = nodeBelow(
        { value: undefined, pointer: `${schema.identity}/properties` },
        name,
        undefined,
      );
      const node = joinedNode(pointer, inner.map(([, place]) => place).toReversed());
      return node === undefined ? [] : [[name, node]];
    }),
  );
});

/**
 * The only node with a restriction, or a joined node for several. Nodes that only state the type array or
 * object are subsumed by the others.
 */
function joinedNode(identity: string, places: readonly DocumentNode[]): DocumentNode | undefined {
  const [first, ...others] = places;
  if (first === undefined || others.length === 0) return first;
  const distinct = [...new Map(places.map((place) => [JSON.stringify(place.value), place])).values()];
  const saying = distinct.filter((place) => !PLACEHOLDERS.has(JSON.stringify(place.value)));
  const nodes = saying.length === 0 ? distinct : saying;
  if (nodes.length === 1) return nodes[0];
  const value = { allOf: nodes.map((node) => node.value) };
  return { value, pointer: first.pointer, joined: { identity, nodes } };
}

const PLACEHOLDERS: ReadonlySet<string> = new Set(['{}', '{"type":"array"}', '{"type":"object"}']);

/** The required properties. */
export const requiredNames = once((schema: Schema): ReadonlySet<string> => {
  return new Set(schema.layers.flatMap((layer) => texts(member(layer, 'required'))));
});

const COMPONENT = /(?:^\/components\/schemas|\/\$defs)\/([^/]+)$/;

/** Whether the pointer is that of a named component, which several uses may refer to. */
export function isComponent(pointer: string): boolean {
  return COMPONENT.test(pointer);
}

/** The name of the component, if any. */
export function componentName(schema: Schema): string | undefined {
  return COMPONENT.exec(schema.identity)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
}
