import { englishNames } from '../../model/foreign-words.ts';
import { meshName } from '../../model/mesh-name.ts';
import { foldedName } from '../../model/names.ts';
import type { GivenParameter, PagingSigns } from '../../model/operation.ts';
import type { ValueBounds } from '../../model/type-use.ts';
import { isTrue, member, number, text } from '../../openapi/document/document-node.ts';
import { jsonTypes, keyword, type Schema, valueNodes } from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';

/** The parameters of a list that are about paging. */
export interface PageParameters {
  readonly size: DocumentParameter | undefined;
  readonly page: DocumentParameter | undefined;
  readonly offset: DocumentParameter | undefined;
  readonly cursor: DocumentParameter | undefined;
  readonly lastKey: DocumentParameter | undefined;
}

type Role = keyof PageParameters;

/** The words that mean it, without regard to style: `page[size]`, `pageSize` and `page_size` are one. */
interface RoleWords {
  readonly type: 'number' | 'text';
  /** Words that mean nothing else. */
  readonly sure: RegExp;
  /** Words that may as well mean a property that is filtered by, the likeliest first. */
  readonly likely: readonly string[];
}

const ROLES: Readonly<Record<Role, RoleWords>> = {
  size: {
    type: 'number',
    sure: /^(?:limit|pagination(?:pagesize|limit|size)|page(?:size|limit|length|len)|perpage|maxpagesize|max(?:results?(?:count)?|items|records|keys|rows|count|size)|(?:results?|items|records|rows|entries|limit)perpage|num(?:ber)?(?:of)?(?:results|items|records|rows)|(?:result|record|item|row)(?:limit|count)|batchsize|pagesizelimit|limitresults)$/,
    likely: ['size', 'top', 'take', 'count', 'rows', 'max', 'first', 'num', 'amount', 'length', 'n'],
  },
  page: {
    type: 'number',
    sure: /^(?:page|page(?:number|no|num|index)|currentpage|pagepage|paginationpage)$/,
    likely: ['p', 'pg', 'pageid'],
  },
  offset: {
    type: 'number',
    sure: /^(?:offset|skip|pagination(?:start|offset)|start(?:at|index|position|row|record|item|offset|from)|(?:page|result|record|item|row|list)(?:offset|start|skip)|firstresult|skipcount|offsetindex)$/,
    likely: ['start', 'from', 'begin', 'position', 'index'],
  },
  cursor: {
    type: 'text',
    sure: /^(?:cursor|iterator|marker|bookmark|next(?:token|cursor|marker|page|pagetoken|pagecursor|key)|page(?:token|cursor|marker|after|bookmark|key)|(?:pagination|paging|continuation|resume|resumption|starting|start)(?:token|cursor|key)|continuation|continue|scrollid|skiptoken|batchtoken|(?:start|end|after)cursor|cursorafter|cursormark|streamposition|exclusivestartkey)$/,
    likely: [
      'after',
      'offset',
      'next',
      'token',
      'page',
      'position',
      'from',
      'start',
      'skip',
      'startat',
      'pageid',
    ],
  },
  lastKey: {
    type: 'text',
    sure: /^(?:startingafter|startafter|afterid|maxid|lastid|lastkey|lastseenid|idafter|afterkey|pageafterid)$/,
    likely: ['after'],
  },
};

/** Whether a required parameter is the gateway's to give, because it chooses a page or how large it is. */
export function isGivenByPages({ name, in: place }: DocumentParameter): boolean {
  const names = englishNames(name);
  return place === 'query' && GIVEN.some((role) => names.some((word) => ROLES[role].sure.test(word)));
}

/** The roles with a value for the first page; there is no cursor for it. */
const GIVEN: readonly Role[] = ['size', 'page', 'offset'];

const ORDER: readonly Role[] = ['size', 'page', 'offset', 'lastKey', 'cursor'];

/**
 * The roles that likely words may have. Beside a number that chooses the page, `after` is a property that is filtered by;
 * elsewhere it is a key only where an answer says whether there is more, and not where.
 */
function likelyRoles({ next, more }: PagingSigns, { page, offset }: Found): readonly Role[] {
  const isNumbered = page !== undefined || offset !== undefined;
  const isByLastKey = more && !next;
  return ORDER.filter((role) => {
    if (role !== 'lastKey' && role !== 'cursor') return true;
    return !isNumbered && (role === 'cursor' || isByLastKey);
  });
}

/** Words in descriptions of paging parameters. */
const ABOUT_PAGES =
  /\bpages?\b|\bpagina|\blimits?\b|\bmax(?:imum)?\b|\bnumber of (?:results|items|records|rows|entries|elements|objects)|\boffset\b|\bcursor\b/i;

/** Ambiguous words for a size that mean one beside a word for an offset, such as `start` and `rows`. */
const PAIRED_SIZE = /^(?:size|top|take|count|rows|num|length)$/;

/**
 * The paging roles of an operation's query parameters. Ambiguous names count if the responses have paging
 * members, or if a size parameter accompanies an offset parameter and neither is a property of the rows
 * (`rowNames`, folded).
 */
export function pageParameters(
  derivation: Derivation,
  { parameters }: DocumentOperation,
  tells: PagingSigns,
  rowNames: ReadonlySet<string>,
): PageParameters {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const isPaged = tells.next || tells.more || tells.total || hasPair(derivation, inQuery, rowNames);
  const sure = rolesOf(derivation, inQuery, ORDER, tells, ({ sure: words }) => [(word) => words.test(word)]);
  const isOther = (parameter: DocumentParameter): boolean =>
    (sure.size !== undefined && beginsRange(parameter, inQuery)) ||
    (rowNames.has(foldedName(parameter.name)) && !isDescribedAs(parameter)) ||
    isDescribedAsTime(parameter);
  const isLikely = (parameter: DocumentParameter): boolean =>
    !isOther(parameter) &&
    (isPaged || Object.values(sure).some((found) => found !== undefined) || isDescribedAs(parameter));
  const likely = rolesOf(
    derivation,
    inQuery.filter(isLikely),
    likelyRoles(tells, sure),
    tells,
    ({ likely: words }) => words.map((likelyWord) => (word) => word === likelyWord),
  );
  const taken = new Set(Object.values(sure));
  const found = (role: Role): DocumentParameter | undefined => {
    const other = likely[role];
    if (sure[role] !== undefined || other === undefined || taken.has(other)) return sure[role];
    taken.add(other);
    return other;
  };
  const [size, page, offset, lastKey, cursor] = ORDER.map(found);
  return { size, page, offset, lastKey, cursor };
}

function hasPair(
  derivation: Derivation,
  inQuery: readonly DocumentParameter[],
  rowNames: ReadonlySet<string>,
): boolean {
  const has = (isMeant: (word: string) => boolean) =>
    inQuery.some((parameter) => {
      const word = foldedName(parameter.name);
      const isOther = rowNames.has(word) || beginsRange(parameter, inQuery) || isDescribedAsTime(parameter);
      return isMeant(word) && !isOther && isOfType(derivation, parameter, 'number');
    });
  return has((word) => PAIRED_SIZE.test(word)) && has((word) => ROLES.offset.likely.includes(word));
}

type Found = Readonly<Partial<Record<Role, DocumentParameter>>>;

/** The first parameter that the first of the tests accepts which accepts any. */
function rolesOf(
  derivation: Derivation,
  parameters: readonly DocumentParameter[],
  roles: readonly Role[],
  tells: PagingSigns,
  testsOf: (role: RoleWords) => readonly ((word: string) => boolean)[],
): Found {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const { type } = ROLES[role];
      const fitting = parameters.filter(
        (parameter) =>
          isOfType(derivation, parameter, type) || isNumberInText(derivation, parameter, role, tells),
      );
      const found = testsOf(ROLES[role])
        .map((test) => fitting.find(({ name }) => englishNames(name).some(test)))
        .find((parameter) => parameter !== undefined);
      return found === undefined ? [] : [[role, found] as const];
    }),
  );
}

/**
 * The parameter for an upper limit of time, if there is also one for a lower limit. It requests the next page
 * if responses have the time of the page.
 */
export function timeParameter({ parameters }: DocumentOperation): DocumentParameter | undefined {
  const named = (name: string) =>
    parameters.find((parameter) => parameter.in === 'query' && foldedName(parameter.name) === name);
  const until = named('until');
  return named('since') !== undefined && until !== undefined && isDescribedAsTime(until) ? until : undefined;
}

/** Whether values are times by a description. */
export function isAboutTimes(description: string | undefined): boolean {
  return ABOUT_TIMES.test(description ?? '');
}

/** Without a type, any is possible. Numbers may be cursors; texts are neither sizes nor page numbers. */
function isOfType({ read }: Derivation, { schema }: DocumentParameter, type: RoleWords['type']): boolean {
  const found = schema && read(schema);
  const types = found === undefined ? [] : jsonTypes(found);
  const isTime =
    found !== undefined && /^(?:date|date-time|time)$/.test(text(keyword(found, 'format')) ?? '');
  const allowed = ['integer', 'number', ...(type === 'number' ? [] : ['string'])];
  return !isTime && (types.length === 0 || types.some((each) => allowed.includes(each)));
}

/** Whether the description of a parameter, or of its values, is about pages. */
function isDescribedAs(parameter: DocumentParameter): boolean {
  return isDescribed(parameter, ABOUT_PAGES);
}

/**
 * Whether the description of the parameter declares its values as times; the parameter is then a filter by
 * time.
 */
function isDescribedAsTime(parameter: DocumentParameter): boolean {
  return isDescribed(parameter, ABOUT_TIMES) && !isDescribedAs(parameter);
}

const ABOUT_TIMES = /\btimestamps?\b|\bdates?\b|\b(?:unix|epoch|start|end|from) ?time\b|\bmilliseconds\b/i;

function isDescribed({ node, schema }: DocumentParameter, words: RegExp): boolean {
  return [node, schema].some((each) => words.test(text(member(each, 'description')) ?? ''));
}

/** Whether the first item has the number 1 by the description of an offset. */
export function isDescribedFromOne(parameter: DocumentParameter): boolean {
  return isDescribed(parameter, FROM_ONE);
}

const FROM_ONE =
  /\b(?:1|one)[- ](?:based|indexed)\b|\b(?:based|indexed|counted|numbered|counting|starts?|starting|begins?|beginning) (?:at|from|with|on) (?:1|one)\b|\bfirst (?:\w+ )?(?:is|has (?:the )?(?:index|number|position)) (?:1|one)\b/i;

/** The end parameters of ranges, by the start parameter, unless the two are the only paging parameters. */
const RANGES: ReadonlyMap<string, RegExp> = new Map([
  ['from', /^(?:to|until|till)$/],
  ['start', /^(?:end|stop|to|until)$/],
  ['begin', /^end$/],
]);

function beginsRange({ name }: DocumentParameter, inQuery: readonly DocumentParameter[]): boolean {
  const ends = englishNames(name).flatMap((start) => RANGES.get(start) ?? []);
  return inQuery.some((other) => englishNames(other.name).some((word) => ends.some((end) => end.test(word))));
}

/** Parameters that are numbers by their name, even if the document declares them as strings. */
const NUMBER_WORDS: Readonly<Partial<Record<Role, RegExp>>> = {
  size: ROLES.size.sure,
  page: /^page(?:number|no|num|index)$/,
  offset: /^(?:offset|skip)$/,
};

const TOKEN_WORDS = /\b(?:token|cursor|opaque|returned|previous)\b/i;

/** An `offset` that answers tell for the next page is whatever they tell. */
function isNumberInText(
  { read }: Derivation,
  parameter: DocumentParameter,
  role: Role,
  { next }: PagingSigns,
): boolean {
  const { name, schema } = parameter;
  if (role === 'offset' && (next || isDescribed(parameter, TOKEN_WORDS))) return false;
  const found = schema && read(schema);
  const isText = found !== undefined && jsonTypes(found).join() === 'string';
  return isText && NUMBER_WORDS[role]?.test(foldedName(name)) === true;
}

/** A parameter whose value the gateway sets, with the constraints of the document. */
export function givenParameter(derivation: Derivation, parameter: DocumentParameter): GivenParameter {
  const schema = parameterSchema(derivation, parameter);
  return {
    name: meshName(parameter.name),
    required: parameter.required,
    values: schema === undefined ? {} : boundsOf(schema),
  };
}

/** The documented default of a parameter, if it is a number. */
export function defaultNumber(derivation: Derivation, parameter: DocumentParameter): number | undefined {
  const schema = parameterSchema(derivation, parameter);
  return schema && number(keyword(schema, 'default'));
}

function parameterSchema({ read }: Derivation, { schema }: DocumentParameter): Schema | undefined {
  return schema && read(schema);
}

function boundsOf(schema: Schema): ValueBounds {
  const values = valueNodes(schema).flatMap(({ value }) => (value === null ? [] : String(value)));
  const type = numericType(schema);
  return {
    type,
    minimum: bound(schema, 'minimum', 'exclusiveMinimum', 1),
    maximum: bound(schema, 'maximum', 'exclusiveMaximum', -1),
    multipleOf: number(keyword(schema, 'multipleOf')),
    minLength: number(keyword(schema, 'minLength')),
    maxLength: number(keyword(schema, 'maxLength')),
    // A pattern applies to strings only (JSON Schema 2020-12, Validation, 6.3.3).
    pattern: type === undefined ? text(keyword(schema, 'pattern')) : undefined,
    values: values.length === 0 ? undefined : values,
  };
}

function numericType(schema: Schema): ValueBounds['type'] {
  const [only, ...others] = jsonTypes(schema);
  if (others.length > 0) return undefined;
  if (only === 'integer') return isInt32(schema) ? 'int32' : 'integer';
  return only === 'number' || only === 'boolean' ? only : undefined;
}

/** Same rule as the upstream client: the format is `int32`, or the maximum is within 32 bits. */
function isInt32(schema: Schema): boolean {
  const maximum = bound(schema, 'maximum', 'exclusiveMaximum', -1);
  const isShort = maximum !== undefined && maximum < 2 ** 31;
  return isShort || text(keyword(schema, 'format')) === 'int32';
}

/** OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`, JSON Schema 2020-12 a number of its own. Inside by one. */
function bound(schema: Schema, name: string, exclusive: string, inside: 1 | -1): number | undefined {
  const inclusive = number(keyword(schema, name));
  const node = keyword(schema, exclusive);
  const outside = isTrue(node) ? inclusive : number(node);
  return outside === undefined ? inclusive : outside + inside;
}
