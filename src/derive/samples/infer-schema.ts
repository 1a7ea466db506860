import { isObject } from '../../core/json-object.ts';

/**
 * The part of JSON Schema that can be learned from values. Enumerations, limits and required properties are
 * never learned.
 */
export interface InferredSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, InferredSchema>>;
  readonly items?: InferredSchema;
  readonly additionalProperties?: InferredSchema | boolean;
  readonly $ref?: string;
}

/** The most values of a list that are looked at. */
const MOST_ROWS = 200;

/** Members of one value, with those of its inner objects, beyond which its further objects are maps. */
const MOST_MEMBERS = 5_000;

/** Objects with more members are maps: their members have names like values, such as dates. */
const MOST_PROPERTIES = 500;

/** Values in deeper objects are of any type. */
const DEEPEST = 12;

const NULL = 'null';

/** The formats of texts, and which texts have them. */
const FORMATS: readonly (readonly [format: string, pattern: RegExp])[] = [
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i],
  ['date', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/],
  ['uuid', /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i],
];

/** A schema that all of the values have. No value of them is in it. */
export function inferSchema(values: readonly unknown[]): InferredSchema {
  return values
    .slice(0, MOST_ROWS)
    .reduce<InferredSchema>(
      (schema, value) => widenSchema(schema, schemaOf(value, 0, { left: MOST_MEMBERS })),
      NOTHING,
    );
}

/** No value has been seen yet. */
const NOTHING: InferredSchema = { type: [] };

/** Values may be anything: some were of one type, others of another. */
const ANYTHING: InferredSchema = {};

/** The number of members that a schema may still get. */
interface Room {
  left: number;
}

function schemaOf(value: unknown, depth: number, room: Room): InferredSchema {
  if (value === null || value === undefined) return { type: NULL };
  if (depth > DEEPEST) return ANYTHING;
  if (typeof value === 'string') return textSchema(value);
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (Array.isArray(value)) {
    const items = value
      .slice(0, MOST_ROWS)
      .reduce<InferredSchema>(
        (schema, item) => widenSchema(schema, schemaOf(item, depth + 1, room)),
        NOTHING,
      );
    return { type: 'array', items };
  }
  return isObject(value) ? objectSchema(value, depth, room) : ANYTHING;
}

function textSchema(value: string): InferredSchema {
  const format = FORMATS.find(([, pattern]) => value.length < 64 && pattern.test(value))?.[0];
  return format === undefined ? { type: 'string' } : { type: 'string', format };
}

function objectSchema(value: Readonly<Record<string, unknown>>, depth: number, room: Room): InferredSchema {
  const names = Object.keys(value).filter((name) => name !== '__proto__');
  if (names.length > MOST_PROPERTIES || names.length > room.left) {
    const members = names.slice(0, MOST_ROWS).map((name) => schemaOf(value[name], depth + 1, room));
    return { type: 'object', additionalProperties: members.reduce(widenSchema, NOTHING) };
  }
  room.left -= names.length;
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(value[name], depth + 1, room)])),
  };
}

/**
 * A schema for all values that match one of the two. It never allows less than either, so that learning from
 * fewer values later removes nothing.
 */
export function widenSchema(one: InferredSchema, other: InferredSchema): InferredSchema {
  if (isNothing(one)) return other;
  if (isNothing(other)) return one;
  if (isAnything(one) || isAnything(other)) return ANYTHING;
  const types = [...new Set([...typesOf(one), ...typesOf(other)])].filter(
    (type, _, all) => !(type === 'integer' && all.includes('number')),
  );
  const kinds = types.filter((type) => type !== NULL);
  // What is a text in one row and an object in another has no schema that a table could have.
  if (kinds.length > 1 && kinds.some((type) => type === 'object' || type === 'array')) return ANYTHING;
  const [only = NULL] = types;
  const type = types.length === 1 ? only : types;
  const [a, b] = [one, other].map((schema) =>
    typesOf(schema).every((each) => each === NULL) ? undefined : schema,
  );
  if (a === undefined || b === undefined) return { ...(a ?? b), type };
  if (kinds.includes('array')) return { type, items: widenSchema(a.items ?? NOTHING, b.items ?? NOTHING) };
  if (kinds.includes('object')) return { type, ...widenedMembers(a, b) };
  return a.format !== undefined && a.format === b.format ? { type, format: a.format } : { type };
}

function widenedMembers(one: InferredSchema, other: InferredSchema): InferredSchema {
  const [all, others] = [
    new Map(Object.entries(one.properties ?? {})),
    Object.entries(other.properties ?? {}),
  ];
  for (const [name, schema] of others) all.set(name, widenSchema(all.get(name) ?? NOTHING, schema));
  const maps = [one, other].flatMap(({ additionalProperties }) =>
    typeof additionalProperties === 'object' ? [additionalProperties] : [],
  );
  const isMap = maps.length > 0 || all.size > MOST_PROPERTIES;
  if (!isMap) return { properties: Object.fromEntries(all) };
  return { additionalProperties: [...maps, ...all.values()].reduce(widenSchema, NOTHING) };
}

function typesOf({ type = [] }: InferredSchema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

function isNothing({ type }: InferredSchema): boolean {
  return Array.isArray(type) && type.length === 0;
}

function isAnything(schema: InferredSchema): boolean {
  return schema.type === undefined;
}
