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
 * A schema with its references followed, its `allOf` merged and its null taken out.
 *
 * `layers` are all the schema objects that speak of the value, the outermost first: what an outer one
 * says overrides what an inner one says.
 */
export interface Schema {
  /** The pointer of the schema that is meant: equal for two uses of the same component. */
  readonly identity: string;
  /** The identity of the schema that this is, for entities that have a type of their own; undefined for its own. */
  readonly variantOf?: string;
  readonly layers: readonly DocumentNode[];
  readonly nullable: boolean;
  /** The schemas that it merges by `allOf`. */
  readonly parts: readonly Schema[];
  /** The branches of `oneOf` or `anyOf` beside null, where there are several. */
  readonly alternatives: readonly DocumentNode[];
  /** A `discriminator` tells its values apart: its own, or that of a schema that it merges. */
  readonly discriminated: boolean;
  /** `x-odata: false` stands on it, or on the component that it refers to. */
  readonly hidden: boolean;
}

/** Gives the schema at a node, or undefined (and a finding) where there is none to be had. */
export type SchemaReader = (node: DocumentNode) => Schema | undefined;

/** What is said of a schema is asked for again and again, and is looked up in its layers once. */
function once<Said>(find: (schema: Schema) => Said): (schema: Schema) => Said {
  const known = new WeakMap<Schema, { readonly said: Said }>();
  return (schema) => {
    const found = known.get(schema) ?? { said: find(schema) };
    known.set(schema, found);
    return found.said;
  };
}

/** What the outermost layer that has the keyword says. */
export function keyword(schema: Schema, name: string): DocumentNode | undefined {
  return firstOf(schema.layers, (layer) => member(layer, name));
}

/** What the outermost layer whose `x-odata` has the key says. */
export function setting(schema: Schema, key: string): DocumentNode | undefined {
  return firstOf(schema.layers, (layer) => member(member(layer, 'x-odata'), key));
}

/** The `discriminator` of the schema itself, not of one that it merges. */
export function discriminatorOf(schema: Schema): DocumentNode | undefined {
  const own = schema.layers.find(({ pointer }) => pointer === schema.identity);
  return member(own, 'discriminator');
}

/** Whether entities of the schema are media entities (CSDL 4.01, 6.4). */
export function isMediaSchema(schema: Schema): boolean {
  return isTrue(setting(schema, 'hasStream')) || setting(schema, 'stream') !== undefined;
}

/**
 * What the schema says of itself: where it is referred to, at its own place, and in what is written out
 * there, not in other schemas that it merges.
 */
export function ownKeyword(schema: Schema, name: string): DocumentNode | undefined {
  return firstOf(ownLayers(schema), (layer) => member(layer, name));
}

/** What it says of itself in its `x-odata`. */
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

/** The schema that is meant, without what is said where it is referred to. */
export function ownSchema(schema: Schema): Schema {
  const own = schema.layers.findIndex(({ pointer }) => pointer === schema.identity);
  return own <= 0 ? schema : { ...schema, layers: schema.layers.slice(own) };
}

/**
 * The JSON types that the schema allows beside null, which are those that all of its layers allow; inferred
 * where no `type` says it.
 */
export const jsonTypes = once((schema: Schema): readonly string[] => {
  const said = schema.layers.flatMap((layer) => member(layer, 'type') ?? []).map(texts);
  if (said.length > 0) {
    const types = said.reduce(sharedTypes).filter((type) => type !== 'null');
    return isNumberOrItsText(schema, types) ? types.filter((type) => type !== 'string') : types;
  }
  const has = (name: string) => keyword(schema, name) !== undefined;
  if (['properties', 'additionalProperties', 'patternProperties'].some(has)) return ['object'];
  if (['items', 'prefixItems'].some(has)) return ['array'];
  return [...new Set(valueNodes(schema).flatMap(({ value }) => jsonTypeOf(value) ?? []))];
});

const NUMBER_FORMATS = /^(?:u?int\d+|float|double|decimal)$/;

/** Whether values are numbers that may be written as texts: `type: [integer, string], format: int32`. */
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
 * All values that there may be, null among them: those of `const` or `enum`, or those that each branch of a
 * `oneOf` or `anyOf` has. None where the schema does not enumerate them.
 */
export function valueNodes(schema: Schema): readonly DocumentNode[] {
  const constant = keyword(schema, 'const');
  if (constant !== undefined) return [constant];
  const said = items(keyword(schema, 'enum'));
  if (said.length > 0) return said;
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

/** The schema of an array's items behind those of a tuple. */
export function restNode(schema: Schema): DocumentNode | undefined {
  return joinedNode(
    `${schema.identity}/items`,
    schema.layers.flatMap((layer) => member(layer, 'items') ?? []),
  );
}

/** The schema of an array's items; of a tuple's only where all of its places have the same. */
export function itemNode(schema: Schema): DocumentNode | undefined {
  const places = items(keyword(schema, 'prefixItems'));
  const rest = restNode(schema);
  const written = [...places, ...(rest === undefined || rest.value === false ? [] : [rest])];
  const [first] = written;
  const isSame = written.every(({ value }) => JSON.stringify(value) === JSON.stringify(first?.value));
  return isSame ? first : undefined;
}

/** The properties of an object schema, those of merged schemas first; what several layers have holds of all. */
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
 * The one of the places that says something else than those before it; or a place that stands for all of them. What says
 * no more than that something is an array, or an object, keeps the place of what the others say.
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

/** The properties that are always there. */
export const requiredNames = once((schema: Schema): ReadonlySet<string> => {
  return new Set(schema.layers.flatMap((layer) => texts(member(layer, 'required'))));
});

const COMPONENT = /(?:^\/components\/schemas|\/\$defs)\/([^/]+)$/;

/** Whether a schema of the document has a name there, and can be meant by several uses. */
export function isComponent(pointer: string): boolean {
  return COMPONENT.test(pointer);
}

/** The name under which the schema stands among the components, or undefined for one without a name. */
export function componentName(schema: Schema): string | undefined {
  return COMPONENT.exec(schema.identity)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
}
