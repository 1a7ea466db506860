import {
  type GraphQLArgument,
  type GraphQLInputField,
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
import { GatewayError } from '../../contract/gateway-error.ts';
import { ownValue, type Row, type Value } from '../../contract/row.ts';
import { segmentMistake } from '../../core/segment-mistake.ts';
import type { TypeUse } from '../../model/edm.ts';
import { meshName } from '../../model/mesh-name.ts';
import type { Operation } from '../../model/operation.ts';
import type { HttpField, QueryStyle } from '../fields/http-field.ts';
import type { ParameterTypes } from './parameter-types.ts';
import { memberValue, upstreamText } from './upstream-value.ts';

/** Arguments for one execution of a field. */
export interface CallArguments {
  /** For GraphQL, which holds what it demands against its types. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The body to send. */
  readonly written: WireObject;
}

export interface ArgumentWriter {
  readonly types: ParameterTypes;
  /** Whether what an entity says that it is identified by is sent, also where the document wants a number for it. */
  readonly takesText?: (argument: string) => boolean;
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
  const written: Record<string, WireValue> = Object.create(null);
  const variables: Record<string, unknown> = Object.create(null);
  for (const argument of declared) {
    const { name, type, defaultValue } = argument;
    const value = ownValue(args, name) ?? (defaultValue as Value | undefined) ?? undefined;
    if (value !== undefined) {
      const wire = writtenValue(writer.types.argument(operation, name), value);
      const delimiter = operation.delimiters?.get(name);
      written[name] = delimiter === undefined ? wire : simpleTexts(wire).join(delimiter);
    }
    if (!isRequiredArgument(argument)) continue;
    const variable = variableOf(type, written[name]) ?? standIn(writer, argument, written[name]);
    if (variable === undefined) return undefined;
    variables[name] = variable;
  }
  return { variables, written };
}

/** A number that lets a text pass GraphQL, which is not what is sent. */
function standIn(
  { takesText }: ArgumentWriter,
  { name, type }: GraphQLArgument,
  written: WireValue | undefined,
): number | undefined {
  const isText = typeof written === 'string' && takesText?.(name) === true;
  return isText && NUMBERS.has(String(getNullableType(type))) ? 0 : undefined;
}

/** GraphQL's names of the types of numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['Int', 'BigInt', 'Float']);

function writtenValue(use: TypeUse | undefined, value: Value): WireValue {
  if (Array.isArray(value)) return value.map((item) => writtenValue(use, item));
  if (typeof value === 'object' && value !== null) return writtenMembers(use, value as Row);
  if (use?.type.kind === 'enumeration') {
    const member = memberValue(use.type, value);
    return Array.isArray(member) ? member.map(String) : String(member);
  }
  const text = String(value);
  return use === undefined ? text : upstreamText(use.type.name, text);
}

function writtenMembers(use: TypeUse | undefined, row: Row): WireObject {
  const type = use?.type.kind === 'complex' ? use.type : undefined;
  const entries = Object.entries(row).flatMap(([name, value]) => {
    if (value === null) return [];
    const property = type?.structuralProperties.get(name);
    return [[property?.upstreamName ?? name, writtenValue(property, value)] as const];
  });
  return Object.fromEntries(entries);
}

/** The GraphQL value of an argument; undefined if it is invalid for the type. */
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

/** The value of an input object; undefined where a member that is given, or required, is no value of its type. */
function objectVariable(type: GraphQLInputObjectType, written: WireObject): unknown {
  const members: [string, unknown][] = [];
  for (const field of Object.values(type.getFields())) {
    const member = written[upstreamName(field)];
    const variable = variableOf(field.type, member);
    if (variable === undefined && (member !== undefined || isRequiredInputField(field))) return undefined;
    members.push([field.name, variable]);
  }
  return Object.fromEntries(members);
}

/** The upstream's name of a member, which a directive of Mesh's has where GraphQL does not allow it. */
function upstreamName({ name, astNode }: GraphQLInputField): string {
  const directive = astNode?.directives?.find((each) => each.name.value === 'resolveRootField');
  const real = directive?.arguments?.find((argument) => argument.name.value === 'field')?.value;
  return real?.kind === 'StringValue' ? real.value : name;
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

/** An argument as OpenAPI has it written: texts, lists and objects of texts. */
type WireValue = string | readonly WireValue[] | WireObject;

export interface WireObject {
  readonly [name: string]: WireValue;
}

const SHOWN_LENGTH = 100;

/** Control characters; they are refused because upstreams differ in what they take them for. */
const CONTROL = /\p{Cc}/u;

/**
 * Stands where Mesh shall leave a text alone: it would take `2024-02-29` for a time, `1.50` for 1.5. No
 * argument has it, and no request: see {@link withoutMarks}.
 */
const MARK = '\0';

/**
 * The arguments as Mesh is to be given them, so that it sends what OpenAPI says: each path argument one
 * segment of the path, items of a list with commas between them where the document wants that.
 *
 * `encodeURIComponent` leaves `.` and `..` alone, and both would address another path.
 */
export function markArguments(
  { pathArguments, headerArguments, queryArguments }: HttpField,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const marked: Record<string, unknown> = { ...args };
  const given = (name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined);
  // Mesh asks for those that were not given, too, and must not find what objects inherit under their names.
  for (const name of pathArguments) marked[name] = markText(pathText(name, given(name)));
  for (const name of headerArguments) marked[name] = headerText(name, given(name));
  for (const [name, style] of queryArguments) marked[name] = queryValue(name, style, given(name));
  return marked;
}

/**
 * An integer whose text is the same, be it taken for a text or for a number. Zero is not among them: Mesh takes it for no
 * value. Where a number is wanted and the text is marked, Mesh makes an error, which costs more than all else of a call.
 */
const PLAIN_INTEGER = /^-?[1-9]\d{0,14}$/;

function markText(text: string): string {
  return PLAIN_INTEGER.test(text) ? text : `${MARK}${text}`;
}

/** Removes the marks of arguments from Mesh's output. */
export function withoutMarks(text: string): string {
  return text.includes(MARK) ? text.replaceAll(MARK, '') : text;
}

/** Mesh puts the text of an argument that is a list into the path as JSON, marked or not. */
const LIST_IN_PATH = /\["(?:\\u0000)?([^"]*)"\]/g;

/** Removes the marks from a URL, in whose query a mark is a comma that is no part of an item. */
export function unmarkedPath(path: string): string {
  return withoutMarks(path).replace(LIST_IN_PATH, '$1').replaceAll('%00', ',');
}

/** Style `simple` (OpenAPI 3.1, 4.8.12.3): items, names and values with commas between them. */
function simpleTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(simpleTexts);
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().flatMap(simpleTexts);
  return [String(value ?? '')];
}

/** An argument as one segment of the path, percent-encoded; what cannot be one is BadRequest. */
export function pathText(name: string, value: unknown): string {
  const texts = simpleTexts(value);
  for (const text of texts) demand(name, text, segmentMistake(text));
  return texts.map(encodeURIComponent).join(',');
}

function headerText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = simpleTexts(value).join(',');
  demand(name, text, CONTROL.test(text) ? 'must not have control characters' : undefined);
  return markText(text);
}

function queryValue(name: string, style: QueryStyle, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const texts = simpleTexts(value);
  if (texts.length === 0) return undefined;
  const whole = texts.join();
  demand(name, whole, whole.includes(MARK) || !whole.isWellFormed() ? 'must be text' : undefined);
  if (style === 'commas') return texts.join(MARK);
  const isObject = typeof value === 'object' && !Array.isArray(value);
  // Mesh gives the members their own names again.
  return style === 'members' && isObject ? renamed(value as WireObject) : value;
}

function renamed(value: WireObject): WireObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [meshName(name), member]));
}

function demand(name: string, text: string, reason: string | undefined): void {
  if (reason === undefined) return;
  const shown = JSON.stringify(text.slice(0, SHOWN_LENGTH).toWellFormed());
  throw new GatewayError('BadRequest', `"${name}" ${reason}; found ${shown}.`, { target: name });
}
