import { meshName } from '../../model/mesh-name.ts';
import { foldedName, pascalCase, singularOf, words } from '../../model/names.ts';
import type {
  ListOperation,
  NarrowingCondition,
  NarrowingParameter,
  Paging,
  SortingArguments,
} from '../../model/operation.ts';
import { type DocumentNode, member, number, text } from '../../openapi/document/document-node.ts';
import {
  isObjectSchema,
  itemNode,
  jsonTypes,
  keyword,
  type Schema,
  schemaProperties,
  setting,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import { givenParameter } from '../answers/page-words.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';

/** The rows of a list: their properties, and those of them that are their key. */
type Rows = Pick<EntityPlan, 'properties' | 'key'>;

/** A query parameter with its schema and its whole description. */
interface QueryParameter {
  readonly written: DocumentParameter;
  readonly schema: Schema;
  readonly description: string;
}

/** A property of the rows that a parameter may be about. */
interface Candidate {
  readonly path: readonly string[];
  /** The folded upstream name; of a nested property, with the names of its owners before it. */
  readonly name: string;
  /** The name of the last property, as the API writes it. */
  readonly upstreamName: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** True for an array of such values. */
  readonly ofElements: boolean;
}

/**
 * The parameters of a list that may narrow or sort it, by their names, types and descriptions. `derive: false` of the
 * document, the path, the operation or the schema of the rows leaves out all of them, and that of a parameter itself.
 */
export function listParameters(
  derivation: Derivation,
  operation: DocumentOperation,
  rowSchema: Schema,
  rows: Rows,
  { paging, fixed = [] }: Pick<ListOperation, 'paging' | 'fixed'>,
): Pick<ListOperation, 'narrowing' | 'sorting' | 'literal'> {
  if (isLiteral(derivation, operation, rowSchema)) return { literal: true };
  const taken = new Set([...pagingParameters(paging), ...fixed.map(({ name }) => name)]);
  const parameters = operation.parameters.flatMap((written): readonly QueryParameter[] => {
    const schema = written.schema && derivation.read(written.schema);
    const isOpen = written.in === 'query' && !written.required && !taken.has(meshName(written.name));
    const settings = member(written.node, 'x-odata');
    const isOff = member(settings, 'derive')?.value === false;
    if (isOff) noteUsed(derivation, settings);
    if (schema === undefined || !isOpen || isOff) return [];
    const texts = [written.node, written.schema].map((node) => text(member(node, 'description')) ?? '');
    return [{ written, schema, description: texts.join(' ').slice(0, LONGEST_DESCRIPTION) }];
  });
  if (parameters.length === 0) return {};
  const candidates = candidatesOf(derivation, rows.properties);
  const keys = keysOf(operation, rows, candidates);
  const narrowing = parameters.flatMap((each) => narrowingBy(derivation, each, candidates, keys));
  const sorting = sortingBy(parameters, candidates);
  return {
    ...(narrowing.length > 0 && { narrowing }),
    ...(sorting.length > 0 && { sorting }),
  };
}

/** A description beyond this is prose, of which no word is a value. */
const LONGEST_DESCRIPTION = 2000;

export function isLiteral(
  { source }: Derivation,
  { node, writtenPath }: DocumentOperation,
  rows: Schema,
): boolean {
  const path = member(member(source.root, 'paths'), writtenPath);
  const words = [source.root, path, node].map((each) => member(member(each, 'x-odata'), 'derive'));
  markUsed(source, rows, ['derive']);
  return [...words, setting(rows, 'derive')].some((word) => word?.value === false);
}

function noteUsed({ source: { usedKeywords } }: Derivation, settings: DocumentNode | undefined): void {
  if (settings === undefined) return;
  usedKeywords.set(settings.value, (usedKeywords.get(settings.value) ?? new Set()).add('derive'));
}

function pagingParameters(paging: Paging | undefined): readonly string[] {
  const size = paging?.size === undefined ? [] : [paging.size.parameter.name];
  return [...size, ...(paging?.ways ?? []).map(({ parameter }) => parameter.name)];
}

/** Scalar properties, and those of the objects within the rows, down to this many names. */
const DEEPEST = 3;

/** The most properties of an object within a row that are looked at: objects may refer to each other. */
const WIDEST = 40;

function candidatesOf(derivation: Derivation, properties: readonly NamedProperty[]): readonly Candidate[] {
  const own = properties.filter(({ argument, aliasOf }) => argument !== true && aliasOf === undefined);
  return own.flatMap(({ name, upstreamName, schema, required }) => {
    const folded = foldedName(upstreamName);
    return scalarsOf(derivation, {
      ...{ path: [name], name: folded, upstreamName, schema },
      ...{ required: required && !schema.nullable, ofElements: false },
    });
  });
}

function scalarsOf(derivation: Derivation, candidate: Candidate): readonly Candidate[] {
  const types = jsonTypes(candidate.schema);
  if (types.includes('array')) return elementsOf(derivation, candidate);
  if (!types.includes('object')) return [candidate];
  const properties = schemaProperties(candidate.schema);
  if (candidate.path.length >= DEEPEST || properties.size > WIDEST) return [];
  return [...properties].flatMap(([upstreamName, node]) => {
    const schema = derivation.read(node);
    const name = pascalCase(upstreamName);
    if (schema === undefined || name === undefined) return [];
    const path = [...candidate.path, name];
    return scalarsOf(derivation, {
      path,
      name: candidate.name + foldedName(upstreamName),
      upstreamName,
      schema,
      required: false,
      ofElements: false,
    });
  });
}

/** An array of scalar values. */
function elementsOf(derivation: Derivation, candidate: Candidate): readonly Candidate[] {
  const item = itemSchema(derivation, candidate.schema);
  const types = item === undefined ? [] : jsonTypes(item);
  const isScalar = types.length > 0 && !types.includes('object') && !types.includes('array');
  return item !== undefined && isScalar ? [{ ...candidate, schema: item, ofElements: true }] : [];
}

/** Names of parameters that search, choose a representation or a part of the answer, whatever the rows have. */
export const NO_CONDITION =
  /^(?:q|s|query|search|search(?:term|text|query|string)|keywords?|terms?|text|fulltext|fields?|select|include|includes|embed|expand|view|format|locale|lang|language|currency|timezone|tz|units?|version|apiversion|callback|pretty)$/;

/** `filter[status]`, `filter.status`, `where[status]`: the name within. */
const WRAPPED = /^(?:filters?|where|criteria|conditions?)[[.](.+?)\]?$/i;

const LOWER = 'lower';
const UPPER = 'upper';

/** A bound by its word; if `inclusive` is missing, the word leaves it open. */
const OPERATORS: Readonly<Record<string, NarrowingCondition>> = {
  eq: { kind: 'equal' },
  equals: { kind: 'equal' },
  exact: { kind: 'equal' },
  is: { kind: 'equal' },
  in: { kind: 'in', most: undefined, separator: undefined },
  any: { kind: 'in', most: undefined, separator: undefined },
  gte: { kind: LOWER, inclusive: true },
  ge: { kind: LOWER, inclusive: true },
  gt: { kind: LOWER, inclusive: false },
  lte: { kind: UPPER, inclusive: true },
  le: { kind: UPPER, inclusive: true },
  lt: { kind: UPPER, inclusive: false },
  min: { kind: LOWER, inclusive: undefined },
  minimum: { kind: LOWER, inclusive: undefined },
  from: { kind: LOWER, inclusive: undefined },
  since: { kind: LOWER, inclusive: undefined },
  desde: { kind: LOWER, inclusive: undefined },
  seit: { kind: LOWER, inclusive: undefined },
  ab: { kind: LOWER, inclusive: undefined },
  von: { kind: LOWER, inclusive: undefined },
  depuis: { kind: LOWER, inclusive: undefined },
  after: { kind: LOWER, inclusive: undefined },
  start: { kind: LOWER, inclusive: undefined },
  max: { kind: UPPER, inclusive: undefined },
  maximum: { kind: UPPER, inclusive: undefined },
  to: { kind: UPPER, inclusive: undefined },
  until: { kind: UPPER, inclusive: undefined },
  hasta: { kind: UPPER, inclusive: undefined },
  bis: { kind: UPPER, inclusive: undefined },
  jusqua: { kind: UPPER, inclusive: undefined },
  before: { kind: UPPER, inclusive: undefined },
  end: { kind: UPPER, inclusive: undefined },
};

const INCLUSIVE =
  /\b(?:inclusive|or (?:equal|later|after|earlier|before|more|less|greater|higher|lower)|at (?:least|most)|on or)\b|[>≥<≤]=|≥|≤/i;
const EXCLUSIVE = /\b(?:exclusive|strictly|excluding)\b/i;

/** The candidate that is the key of the rows, under the names that parameters for several keys have. */
type Keys = ReadonlyMap<string, Candidate>;

/** `ids`, or of the list `/orders` also `order_ids`; not that of a key of several properties. */
function keysOf({ segments }: DocumentOperation, { key }: Rows, candidates: readonly Candidate[]): Keys {
  const [only, ...others] = key;
  const candidate = candidates.find(({ path }) => path.length === 1 && path[0] === only?.property.name);
  if (candidate === undefined || candidate.ofElements || others.length > 0) return new Map();
  const last = segments.findLast(({ kind }) => kind === 'literal');
  const rows = last?.kind === 'literal' ? foldedName(singularOf(last.text)) : '';
  const names = ['ids', `${rows}ids`, 'idlist', 'idin', `${rows}idin`];
  return new Map(names.map((name) => [name, candidate]));
}

function narrowingBy(
  derivation: Derivation,
  parameter: QueryParameter,
  candidates: readonly Candidate[],
  keys: Keys,
): readonly NarrowingParameter[] {
  const { written, schema, description } = parameter;
  const name = WRAPPED.exec(written.name)?.[1] ?? written.name;
  if (NO_CONDITION.test(foldedName(name))) return [];
  const isList = jsonTypes(schema).includes('array');
  const item = isList ? itemSchema(derivation, schema) : schema;
  if (item === undefined) return [];
  const given = givenParameter(derivation, isList ? withSchemaOf(written, item) : written);
  const hasDefault = (keyword(schema, 'default')?.value ?? null) !== null;
  const narrowing = (
    { candidate, condition }: Found,
    value: Schema,
    member?: string,
  ): readonly NarrowingParameter[] => {
    if (!isOfOneType(value, candidate.schema, condition)) return [];
    const words = [...specialValues(value, candidate.schema), ...wordsOf(description)];
    return boundForms(value, candidate.schema, condition).map((form) => ({
      parameter: member === undefined ? given : { ...given, values: {} },
      path: candidate.path,
      condition,
      words: [...new Set(words)],
      ...(member !== undefined && { member }),
      ...(hasDefault && { hasDefault: true }),
      ...(candidate.ofElements && { ofElements: true }),
      ...(form !== undefined && { form }),
    }));
  };
  const found = conditionsOf(name, isList, description, candidates, keys);
  const own = found.map(({ candidate, condition }): Found => {
    if (condition.kind !== 'in') return { candidate, condition };
    // An API may want all of several elements.
    const most = candidate.ofElements ? 1 : number(keyword(schema, 'maxItems'));
    return { candidate, condition: { ...condition, most } };
  });
  return [
    ...(isObjectSchema(item) ? [] : own.flatMap((each) => narrowing(each, item))),
    // `created[gte]`: an object whose members are bounds, beside a plain value or alone.
    ...boundsWithin(derivation, item).flatMap(({ member, schema: value }) => {
      const inner = conditionsOf(`${name}.${member}`, false, description, candidates, keys);
      return inner.flatMap((each) => narrowing(each, value, member));
    }),
    // `filter[status]` as one object of conditions.
    ...conditionsWithin(derivation, written, item).flatMap(({ member, schema: value }) => {
      const about = text(keyword(value, 'description')) ?? '';
      const inner = conditionsOf(member, false, about, candidates, keys);
      return inner.flatMap((each) => narrowing(each, value, member));
    }),
  ];
}

const OF_CONDITIONS = /^(?:filters?|filterby|where|criteria|conditions?)$/;

/** The members of an object of conditions, which are named like properties, with or without an operator. */
function conditionsWithin(
  derivation: Derivation,
  { name, node }: DocumentParameter,
  schema: Schema,
): readonly { readonly member: string; readonly schema: Schema }[] {
  const isDeep = text(member(node, 'style')) === 'deepObject';
  if (!isDeep || !OF_CONDITIONS.test(foldedName(name)) || !isObjectSchema(schema)) return [];
  return [...schemaProperties(schema)].flatMap(([member, node]) => {
    const found = NO_CONDITION.test(foldedName(member)) ? undefined : derivation.read(node);
    const isScalar = found !== undefined && !isObjectSchema(found) && !jsonTypes(found).includes('array');
    return isScalar ? [{ member, schema: found }] : [];
  });
}

/** The members of the objects that a parameter may be, which are named like operators. */
function boundsWithin(
  derivation: Derivation,
  schema: Schema,
): readonly { readonly member: string; readonly schema: Schema }[] {
  const branches = schema.alternatives.flatMap((branch) => derivation.read(branch) ?? []);
  return [schema, ...branches].flatMap((each) =>
    [...schemaProperties(each)].flatMap(([member, node]) => {
      const found = Object.hasOwn(OPERATORS, member) ? derivation.read(node) : undefined;
      return found === undefined ? [] : [{ member, schema: found }];
    }),
  );
}

function itemSchema(derivation: Derivation, schema: Schema): Schema | undefined {
  const node = itemNode(schema);
  return node && derivation.read(node);
}

/** The bounds of each value are those of the items. */
function withSchemaOf(written: DocumentParameter, { layers: [schema] }: Schema): DocumentParameter {
  return { ...written, schema };
}

interface Found {
  readonly candidate: Candidate;
  readonly condition: NarrowingCondition;
}

/**
 * A name is first that of a property as a whole; then its first or last word may be an operator. A bound without the name
 * of a property may be one of each time of the rows.
 */
function conditionsOf(
  name: string,
  isList: boolean,
  description: string,
  candidates: readonly Candidate[],
  keys: Keys,
): readonly Found[] {
  const plain = name.replace(/\[\]$/, '');
  const isOfValues = isList || /\bcomma[- ]separated\b/i.test(description);
  const any: NarrowingCondition = { kind: 'in', most: undefined, separator: isList ? undefined : ',' };
  const whole = named(candidates, foldedName(plain));
  if (whole !== undefined) return [{ candidate: whole, condition: isOfValues ? any : { kind: 'equal' } }];
  if (isOfValues) {
    const several = named(candidates, foldedName(singularOf(plain))) ?? keys.get(foldedName(plain));
    if (several !== undefined) return [{ candidate: several, condition: any }];
  }
  const array = candidates.find(
    ({ ofElements, upstreamName }) =>
      ofElements && foldedName(singularOf(upstreamName)) === foldedName(singularOf(plain)),
  );
  if (array !== undefined) return [{ candidate: array, condition: isOfValues ? any : { kind: 'equal' } }];
  const parts = words(plain.replaceAll(/[[\].]+|__/g, ' ')).map((word) => word.toLowerCase());
  for (const [operator, rest] of [
    [parts.at(-1) ?? '', parts.slice(0, -1)],
    [parts[0] ?? '', parts.slice(1)],
  ] as const) {
    const condition = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (condition === undefined) continue;
    const isRange = condition.kind === LOWER || condition.kind === UPPER;
    const candidate = isRange ? bounded(candidates, rest.join('')) : named(candidates, rest.join(''));
    if (candidate !== undefined) {
      const does = condition.kind === 'in' && !isList ? any : withInclusion(condition, description);
      return [{ candidate, condition: does }];
    }
    if (!isRange || !/^(?:date|time|datetime|timestamp)?$/.test(rest.join(''))) continue;
    const times = candidates.filter((each) => each.path.length === 1 && isTime(each.schema));
    return times.length > MOST_TIMES
      ? []
      : times.map((each) => ({ candidate: each, condition: withInclusion(condition, description) }));
  }
  return [];
}

/** The most times of the rows that a bound without a name may be about: each has to be tried out. */
const MOST_TIMES = 4;

/**
 * The forms in which a parameter may take a bound, the likeliest first; undefined is that of the property. An API whose
 * times have no offset may refuse those that have one.
 */
function boundForms(
  parameter: Schema,
  property: Schema,
  { kind }: Pick<NarrowingCondition, 'kind'>,
): readonly NarrowingParameter['form'][] {
  const format = (schema: Schema) => text(keyword(schema, 'format'));
  const [sent, had] = [format(parameter), format(property)];
  if (kind !== LOWER && kind !== UPPER) return [undefined];
  if (had === 'date-time' && sent === 'date') return ['date'];
  if (sent !== undefined && sent !== had && jsonTypes(parameter).includes('string')) return [];
  return had === 'date-time' ? [undefined, 'local'] : [undefined];
}

function isTime(schema: Schema): boolean {
  return text(keyword(schema, 'format'))?.startsWith('date') === true;
}

function withInclusion(condition: NarrowingCondition, description: string): NarrowingCondition {
  if ((condition.kind !== LOWER && condition.kind !== UPPER) || condition.inclusive !== undefined)
    return condition;
  const isInclusive = INCLUSIVE.test(description);
  if (isInclusive === EXCLUSIVE.test(description)) return condition;
  return { kind: condition.kind, inclusive: isInclusive };
}

/** The one property of that name. */
function named(candidates: readonly Candidate[], name: string): Candidate | undefined {
  const [only, ...others] = candidates.filter((candidate) => candidate.name === name);
  return others.length === 0 ? only : undefined;
}

/** Endings of the names of times, which bounds leave out: `created_after` bounds `created_at`. */
const TIME_ENDING = /(?:at|on|am|um|en|el|le|date|datum|fecha|time|zeit|datetime|timestamp|ts)$/;

function bounded(candidates: readonly Candidate[], name: string): Candidate | undefined {
  const whole = named(candidates, name);
  if (whole !== undefined || name === '') return whole;
  const stemOf = (text: string): string => text.replace(TIME_ENDING, '');
  for (const stem of [name, stemOf(name)]) {
    const [only, ...others] = candidates.filter(
      (candidate) => TIME_ENDING.test(candidate.name) && stemOf(candidate.name) === stem,
    );
    if (only !== undefined) return stem !== '' && others.length === 0 ? only : undefined;
  }
  return undefined;
}

/** A text may be sent for any value; other types have to be those of the property. */
function isOfOneType(parameter: Schema, property: Schema, { kind }: NarrowingCondition): boolean {
  const [sent, had] = [jsonTypes(parameter), jsonTypes(property)];
  const isBound = kind === LOWER || kind === UPPER;
  if (isBound && had.includes('string') && !isTime(property)) return false;
  if (isBound && had.includes('boolean')) return false;
  const isNumber = (types: readonly string[]) => types.includes('number') || types.includes('integer');
  if (sent.length === 0 || sent.includes('string')) return !had.includes('object');
  return isNumber(sent) ? isNumber(had) : sent.some((type) => had.includes(type));
}

/** Values of the parameter that the property does not have, such as `all`. */
function specialValues(parameter: Schema, property: Schema): readonly string[] {
  const had = new Set(valueNodes(property).map(({ value }) => String(value)));
  const sent = valueNodes(parameter).map(({ value }) => String(value));
  return had.size === 0 ? [] : sent.filter((value) => !had.has(value));
}

function wordsOf(description: string): readonly string[] {
  return description.split(/[^\p{L}\p{N}_.@-]+/u).flatMap((word) => {
    const plain = word.replace(/[.-]+$/, '').toLowerCase();
    return plain === '' ? [] : [plain];
  });
}

/** Names of parameters that order a list. */
export const SORT_WORD =
  /^(?:sort|sortby|sorting|sortfield|sortcolumn|sorton|orderby|ordering|order|orden|ordenar|ordenarpor|sortierung|sortierennach|tri|trierpar)$/;
/** Names of parameters that choose the direction of an order. */
export const DIRECTION_WORD =
  /^(?:direction|dir|order|sortorder|sortdirection|sortdir|orderdirection|orderdir)$/;

/**
 * The arguments that sort by one property: the enumerated values of a sort parameter, or values in the form
 * of its description (`-name` by default), with the parameter for the direction, if any.
 */
function sortingBy(
  parameters: readonly QueryParameter[],
  candidates: readonly Candidate[],
): readonly SortingArguments[] {
  const sort = parameters.find(
    ({ written, schema }) =>
      SORT_WORD.test(foldedName(written.name)) && !isDirection(schema) && isText(schema),
  );
  if (sort === undefined) return [];
  const direction = parameters.find(
    ({ written, schema }) => DIRECTION_WORD.test(foldedName(written.name)) && isDirection(schema),
  );
  const sortable = candidates.filter(
    ({ path, schema, ofElements }) => path.length === 1 && !ofElements && isSortable(schema),
  );
  const listed = valueNodes(sort.schema).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const isFree = valueNodes(sort.schema).length === 0;
  const values = isFree ? sortable.flatMap((each) => orderTexts(each, direction, sort)) : listed;
  return values.flatMap((value): readonly SortingArguments[] => {
    const written = writtenOrder(value);
    const { path: [property] = [], required } = bounded(sortable, foldedName(written.name)) ?? {};
    if (property === undefined) return [];
    const promised = required === true && { required };
    const name = meshName(sort.written.name);
    if (direction === undefined || written.isDirected) {
      const { descending } = written;
      return [{ property, descending, ...promised, arguments: { [name]: value } }];
    }
    return valueNodes(direction.schema).map(({ value: way }) => ({
      property,
      descending: isDescending(String(way)),
      ...promised,
      arguments: { [name]: value, [meshName(direction.written.name)]: String(way) },
    }));
  });
}

function isText(schema: Schema): boolean {
  const types = jsonTypes(schema);
  return types.length === 0 || types.includes('string');
}

/** Both orders by a property, in the form that a free text takes. */
function orderTexts(
  { upstreamName }: Candidate,
  direction: QueryParameter | undefined,
  { description }: QueryParameter,
): readonly string[] {
  if (direction !== undefined) return [upstreamName];
  const [, separator] = /\w([:.,_ ])(?:asc|desc)\b/i.exec(description) ?? [];
  if (separator === undefined) return [upstreamName, `-${upstreamName}`];
  return [`${upstreamName}${separator}asc`, `${upstreamName}${separator}desc`];
}

interface WrittenOrder {
  readonly name: string;
  readonly descending: boolean;
  readonly isDirected: boolean;
}

/** `-name`, `+name`, `name:desc`, `name desc`, `name_desc`, `name.desc`, `name,desc`. */
function writtenOrder(value: string): WrittenOrder {
  const signed = /^([+-])(.+)$/.exec(value);
  if (signed !== null) return { name: signed[2] ?? '', descending: signed[1] === '-', isDirected: true };
  const ended = /^(.+?)[:\s_.,-]+(asc|desc|ascending|descending)$/i.exec(value);
  if (ended === null) return { name: value, descending: false, isDirected: false };
  return { name: ended[1] ?? '', descending: isDescending(ended[2] ?? ''), isDirected: true };
}

function isDescending(value: string): boolean {
  return /^(?:desc|descending|-1)$/i.test(value);
}

function isDirection(schema: Schema): boolean {
  const values = valueNodes(schema).map(({ value }) => String(value));
  return values.length > 0 && values.every((value) => /^(?:asc|desc|ascending|descending)$/i.test(value));
}

/** Numbers and times: the order of texts depends on a collation that no answer shows. */
function isSortable(schema: Schema): boolean {
  const types = jsonTypes(schema);
  if (schema.nullable || types.length !== 1) return false;
  return types[0] === 'integer' || types[0] === 'number' || text(keyword(schema, 'format')) === 'date-time';
}
