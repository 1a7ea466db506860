import {
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { Arguments } from '../../contract/entity-source.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { TypeUse } from '../../model/edm.ts';
import type { Operation } from '../../model/operation.ts';
import { memberValue, upstreamText } from '../fields/upstream-scalar.ts';
import { propertyOfInput } from './client-arguments.ts';
import type { ParameterTypes } from './parameter-types.ts';
import type { WireObject, WireValue } from './wire-arguments.ts';

/** Arguments for one execution of a field. */
export interface CallArguments {
  /** For GraphQL, which holds what it demands against its types. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** What is sent. */
  readonly written: WireObject;
}

export interface ArgumentWriter {
  readonly types: ParameterTypes;
  /** What an entity says that it is identified by is sent, also where the document wants a number for it. */
  readonly takesTexts?: boolean;
}

/**
 * The arguments in both forms, or undefined where one cannot be a value of the upstream's, or is missing.
 * Optional ones that are null are not sent; one that has a default is demanded.
 */
export function callArguments(
  writer: ArgumentWriter,
  operation: Operation,
  declared: readonly GraphQLArgument[],
  args: Arguments,
): CallArguments | undefined {
  const written: Record<string, WireValue> = {};
  const variables: Record<string, unknown> = {};
  for (const argument of declared) {
    const { name, type, defaultValue } = argument;
    const value = args[name] ?? (defaultValue as Value | undefined) ?? undefined;
    if (value !== undefined) {
      written[name] = writtenValue(writer, writer.types.argument(operation, name), value);
    }
    if (!isRequiredArgument(argument)) continue;
    const variable = variableOf(type, written[name]) ?? standIn(writer, type, written[name]);
    if (variable === undefined) return undefined;
    variables[name] = variable;
  }
  return { variables, written };
}

/** A number that lets a text pass GraphQL, which is not what is sent. */
function standIn(
  { takesTexts = false }: ArgumentWriter,
  type: GraphQLInputType,
  written: WireValue | undefined,
): number | undefined {
  const isText = takesTexts && typeof written === 'string';
  return isText && NUMBERS.has(String(getNullableType(type))) ? 0 : undefined;
}

/** GraphQL's names of the types of numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['Int', 'BigInt', 'Float']);

function writtenValue(writer: ArgumentWriter, use: TypeUse | undefined, value: Value): WireValue {
  if (Array.isArray(value)) return value.map((item) => writtenValue(writer, use, item));
  if (typeof value === 'object' && value !== null) return writtenMembers(writer, use, value as Row);
  if (use?.type.kind === 'enumeration') {
    return String(memberValue(use.type, value));
  }
  const text = String(value);
  return use === undefined ? text : upstreamText(use.type.name, text);
}

function writtenMembers(writer: ArgumentWriter, use: TypeUse | undefined, row: Row): WireObject {
  const type = use?.type.kind === 'complex' ? use.type : undefined;
  const entries = Object.entries(row).flatMap(([name, value]) => {
    if (value === null) return [];
    const property = type?.structuralProperties.get(name);
    return [[property?.upstreamName ?? name, writtenValue(writer, property, value)] as const];
  });
  return Object.fromEntries(entries);
}

/** What GraphQL is given of it; undefined where it is no value of the type. */
function variableOf(type: GraphQLInputType, written: WireValue | undefined): unknown {
  if (written === undefined) return undefined;
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const list = (Array.isArray(written) ? written : [written]).map((item) =>
      variableOf(nullable.ofType, item),
    );
    return list.includes(undefined) ? undefined : list;
  }
  if (isInputObjectType(nullable)) {
    return objectVariable(nullable, written as WireObject);
  }
  if (isEnumType(nullable)) {
    return nullable.getValues().find(({ value }) => String(value) === written)?.name;
  }
  const variable = typeof written === 'string' ? scalarVariable(nullable.name, written) : written;
  return variable !== undefined && takes(nullable, variable) ? variable : undefined;
}

/** Undefined where a member that is given, or that must be, is no value of its type. */
function objectVariable(type: GraphQLInputObjectType, written: WireObject): unknown {
  const members: [string, unknown][] = [];
  for (const field of Object.values(type.getFields())) {
    const member = written[propertyOfInput(field)];
    const variable = variableOf(field.type, member);
    if (variable === undefined && (member !== undefined || isRequiredInputField(field))) return undefined;
    members.push([field.name, variable]);
  }
  return Object.fromEntries(members);
}

/** Documents make scalars of their own, of patterns and formats: GraphQL would refuse what those do not take. */
function takes(type: GraphQLScalarType, variable: unknown): boolean {
  try {
    return type.parseValue(variable) !== undefined;
  } catch {
    return false;
  }
}

/** One spelling for each number: `07` and `7.0` are not the key `7`. */
const INTEGER = /^(0|-?[1-9]\d{0,18})$/;

function scalarVariable(type: string, text: string): unknown {
  switch (type) {
    case 'Int':
      return INTEGER.test(text) && isInt32(Number(text)) ? Number(text) : undefined;
    case 'Float':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'Boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'BigInt':
      return INTEGER.test(text) ? text : undefined;
    case 'Time':
      return /\d$/.test(text) && !/[+-]\d\d:\d\d$/.test(text) ? `${text}Z` : text;
    default:
      return text;
  }
}

function isInt32(value: number): boolean {
  return value === (value | 0);
}
