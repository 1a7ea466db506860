import {
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type ValueNode,
} from 'graphql';

/** Throws where a value is none of a scalar. */
type Demand = (value: unknown) => unknown;

/**
 * Has the schema's scalars for texts and large integers keep what they are given, in place.
 *
 * Mesh's make objects of texts, which lose digits of seconds and the offset, show bytes as an object, and want
 * an offset of each time of day. Its scalars are shared by all schemas.
 */
export function keepExact(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && !kept.has(type)) keep(type);
  }
}

const kept = new WeakSet<GraphQLScalarType>();

function keep(type: GraphQLScalarType): void {
  const demand = demandOf(type);
  if (demand === undefined) return;
  kept.add(type);
  const passed = (value: unknown): unknown => {
    demand(value);
    return value;
  };
  type.serialize = passed;
  type.parseValue = passed;
  type.parseLiteral = (node) => literalValue(type, node);
}

function demandOf(type: GraphQLScalarType): Demand | undefined {
  switch (type.name) {
    case 'Date':
    case 'DateTime':
    case 'Byte': {
      const { parseValue } = type;
      return (value) => parseValue(requireText(type, value));
    }
    case 'Time':
      return (value) => assertMatch(type, requireText(type, value), TIME);
    case 'BigInt':
      return (value) => assertInteger(type, value);
    default:
      return undefined;
  }
}

/** RFC 3339, 5.6: `full-time`; clocks show neither seconds nor an offset. */
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?$/;

const INTEGER = /^-?\d{1,40}$/;

function literalValue(type: GraphQLScalarType, node: ValueNode): unknown {
  const text = literalText(type, node);
  try {
    return type.parseValue(text);
  } catch (error) {
    throw new GraphQLError((error as Error).message, { nodes: node });
  }
}

/** A literal's own digits, however many. */
function literalText(type: GraphQLScalarType, node: ValueNode): string {
  if (node.kind === Kind.STRING || (node.kind === Kind.INT && type.name === 'BigInt')) return node.value;
  throw new GraphQLError(`${type.name} cannot be written as ${node.kind}.`, { nodes: node });
}

function requireText(type: GraphQLScalarType, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError(`${type.name} is a text, found a value of type ${typeof value}.`);
}

function assertMatch(type: GraphQLScalarType, text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new GraphQLError(`${type.name} cannot be ${JSON.stringify(text)}.`);
}

function assertInteger(type: GraphQLScalarType, value: unknown): void {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new GraphQLError(`${type.name} beyond 2^53 is sent as a text: a JSON number may have lost digits.`);
  }
  const isNumeric = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string';
  assertMatch(type, isNumeric ? String(value) : typeof value, INTEGER);
}
