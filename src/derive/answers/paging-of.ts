import { isAround, isPageContainer, type PageWord, pageWord } from '../../model/answer-words.ts';
import { foldedName } from '../../model/names.ts';
import type { AnswerPath, PageSize, PageWay, Paging, PagingSigns } from '../../model/operation.ts';
import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  number,
  text,
} from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import {
  isArraySchema,
  isObjectSchema,
  jsonTypes,
  type Schema,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';
import { answerSchema, holdsOneList, type ListAnswer } from './list-answer.ts';
import {
  defaultNumber,
  givenParameter,
  isAboutTimes,
  isDescribedFromOne,
  type PageParameters,
  pageParameters,
  timeParameter,
} from './page-words.ts';

/**
 * The paging of a list, as declared, or else by the names of parameters, properties and header fields.
 * Undefined without paging.
 */
export function pagingOf(derivation: Derivation, list: ListAnswer): Paging | undefined {
  const { operation } = list;
  const declared = declaredPaging(derivation, operation);
  const indicators = reliableIndicators(answerSigns(derivation, list), declared);
  const rowNames = new Set([...schemaProperties(list.item).keys()].map(foldedName));
  const named = parametersOf(pageParameters(derivation, operation, indicators, rowNames), declared);
  const namesake = isOnlySized(named) ? cursorNamesake(derivation, list) : undefined;
  const cursor = namesake?.parameter ?? timeCursor(derivation, list);
  const found = isOnlySized(named) ? { ...named, cursor } : named;
  const size = found.size && pageSize(derivation, found.size, declared);
  const ways = strategiesOf(derivation, list, found, declared, namesake !== undefined);
  if (size === undefined && ways.length === 0 && !indicators.next && !indicators.more) return undefined;
  const { next = namesake?.path, more, total, isPageOf = false } = declared ?? {};
  const places = { next: next === 'header:link' ? undefined : next, more, total };
  const signs = namesake === undefined ? indicators : { ...indicators, next: true };
  const paging: Paging = { size, ways, tells: signs, places, onward: !isPageOf };
  reportPaging(derivation, operation, paging, found);
  return paging;
}

function reliableIndicators(signs: PagingSigns, said: DeclaredPaging | undefined): PagingSigns {
  return {
    next: signs.next || said?.next !== undefined,
    more: signs.more || said?.more !== undefined,
    total: signs.total || said?.total !== undefined,
  };
}

/** A declared parameter for the next page replaces all detected ones. */
function parametersOf(found: PageParameters, said: DeclaredPaging | undefined): PageParameters {
  const { size = found.size, page, offset, cursor, lastKey } = said ?? {};
  const isDeclared = page !== undefined || offset !== undefined || cursor !== undefined;
  if (!isDeclared) return { ...found, size };
  const byLast = lastKey === undefined ? undefined : cursor;
  return { size, page, offset, cursor: byLast === undefined ? cursor : undefined, lastKey: byLast };
}

/** Whether nothing asks for another page than the first. */
function isOnlySized({ size: _, ...others }: PageParameters): boolean {
  return Object.values(others).every((parameter) => parameter === undefined);
}

/** The parameter for a time, if the document declares the response member with the time for the next page. */
function timeCursor(
  derivation: Derivation,
  { operation, wrappedIn }: ListAnswer,
): DocumentParameter | undefined {
  const schema = answerSchema(derivation, operation);
  const signs = schema === undefined ? [] : signsIn(derivation, schema, [], wrappedIn);
  const isTime = signs.some(
    ({ kind, node }) => kind === 'next' && isAboutTimes(text(member(node, 'description'))),
  );
  return isTime ? timeParameter(operation) : undefined;
}

/** The parameter with the same name as a member of the responses, and the path of that member. */
function cursorNamesake(
  derivation: Derivation,
  { operation, wrappedIn }: ListAnswer,
): { readonly parameter: DocumentParameter; readonly path: AnswerPath } | undefined {
  const schema = answerSchema(derivation, operation);
  const paths = schema === undefined ? [] : textMembers(derivation, schema, [], wrappedIn);
  const parameters = operation.parameters.filter((each) => each.in === 'query' && isCursorName(each));
  return parameters
    .flatMap((parameter) => {
      const path = paths.find((each) => foldedName(each.at(-1) ?? '') === foldedName(parameter.name));
      return path === undefined ? [] : [{ parameter, path }];
    })
    .at(0);
}

const CURSOR_NAME = /scroll|cursor|token|marker|bookmark|iterator|checkpoint|continu|next|page/;

/** A filter that the answers repeat is not about pages. */
function isCursorName({ name, required, node }: DocumentParameter): boolean {
  const isAboutPages = /\bscroll|\bcursor\b|\bnext page\b/i.test(text(member(node, 'description')) ?? '');
  return !required && (CURSOR_NAME.test(foldedName(name)) || isAboutPages);
}

function textMembers(
  derivation: Derivation,
  schema: Schema,
  path: AnswerPath,
  list: AnswerPath = [],
): readonly AnswerPath[] {
  if (!isObjectSchema(schema)) return [];
  return [...schemaProperties(schema)].flatMap(([name, node]) => {
    const inner = derivation.read(node);
    if (inner === undefined || isArraySchema(inner)) return [];
    const place = [...path, name];
    if (!isObjectSchema(inner)) return jsonTypes(inner).includes('string') ? [place] : [];
    const isContainer = (path.length === 0 && isPageContainer(name)) || isAround(list, place);
    return isContainer ? textMembers(derivation, inner, place, list) : [];
  });
}

/** A size that most APIs accept, if the document does not say. */
const USUAL_SIZE = 100;

/** The size of the only larger page of a list that takes no other parameter. */
const LARGER_SIZE = 1_000;

/** A maximum beyond this is that of the type of number. */
const LARGEST_SIZE = 10_000;

function pageSize(
  derivation: Derivation,
  parameter: DocumentParameter,
  said: DeclaredPaging | undefined,
): PageSize {
  const given = givenParameter(derivation, parameter);
  const listed = given.values.values?.map(Number).filter(Number.isSafeInteger) ?? [];
  const most = said?.maxTop ?? (listed.length > 0 ? Math.max(...listed) : given.values.maximum);
  const bounded = most === undefined || most > LARGEST_SIZE ? undefined : most;
  const usual = defaultNumber(derivation, parameter);
  // A default of 0 or less means that there is no limit.
  const otherwise = usual !== undefined && usual > 0 ? usual : undefined;
  const requested = Math.min(
    bounded ?? (most === undefined ? (otherwise ?? USUAL_SIZE) : LARGEST_SIZE),
    LARGEST_SIZE,
  );
  const isRequested = bounded !== undefined || parameter.required || said?.isPageOf !== true;
  return {
    parameter: { ...given, values: { ...given.values, maximum: isRequested ? requested : most } },
    largest: isRequested ? requested : undefined,
    sure: most !== undefined || otherwise !== undefined,
    promised: said?.maxTop === undefined ? undefined : true,
    standard: otherwise,
    larger: isRequested && most === undefined ? Math.max(LARGER_SIZE, 10 * requested) : undefined,
  };
}

function strategiesOf(
  derivation: Derivation,
  list: ListAnswer,
  { cursor, lastKey, page, offset }: PageParameters,
  said: DeclaredPaging | undefined,
  scrolls: boolean,
): readonly PageWay[] {
  const given = (parameter: DocumentParameter) => givenParameter(derivation, parameter);
  const ways: readonly (PageWay | undefined)[] = [
    cursor && { kind: 'cursor', parameter: given(cursor), scrolls: scrolls || undefined },
    lastKey && {
      kind: 'lastKey',
      parameter: given(lastKey),
      property: said?.lastKey ?? keyProperty(list.item),
    },
    page && { kind: 'page', parameter: given(page), first: said?.first ?? firstPage(derivation, page) },
    offset && {
      kind: 'offset',
      parameter: given(offset),
      first: said?.first ?? firstOffset(derivation, list, offset),
    },
  ];
  return ways.filter((way) => way !== undefined);
}

/** The property that identifies items, whatever their URLs contain. */
function keyProperty(item: Schema): string | undefined {
  const properties = schemaProperties(item);
  return ['id', 'uuid', 'gid', 'sid', 'uid', 'key'].find((name) => properties.has(name));
}

/** A minimum of 0 alone may come from the number type. */
function firstPage(derivation: Derivation, parameter: DocumentParameter): 0 | 1 | undefined {
  const otherwise = defaultNumber(derivation, parameter);
  if (otherwise === 0 || otherwise === 1) return otherwise;
  return givenParameter(derivation, parameter).values.minimum === 1 ? 1 : undefined;
}

/**
 * The number of the first item: the default or the least value of the parameter, its description, or 1 where answers have
 * the members of a list of SCIM (RFC 7644, 3.4.2) or OpenSearch.
 */
function firstOffset(derivation: Derivation, { operation }: ListAnswer, parameter: DocumentParameter): 0 | 1 {
  const otherwise = defaultNumber(derivation, parameter);
  const least = otherwise ?? givenParameter(derivation, parameter).values.minimum;
  if (otherwise !== undefined || least === 1) return least === 1 ? 1 : 0;
  if (isDescribedFromOne(parameter)) return 1;
  const answer = answerSchema(derivation, operation);
  const names = new Set([...(answer === undefined ? [] : schemaProperties(answer).keys())].map(foldedName));
  return foldedName(parameter.name) === 'startindex' && names.has('startindex') && names.has('itemsperpage')
    ? 1
    : 0;
}

/** Whether further pages can be requested. A cursor needs a response member. */
function hasNextPage({ ways, tells }: Paging): boolean {
  return tells.next || ways.some(({ kind }) => kind !== 'cursor');
}

function reportPaging(
  { source }: Derivation,
  { node }: DocumentOperation,
  paging: Paging,
  parameters: PageParameters,
): void {
  if (hasNextPage(paging)) {
    if (!paging.onward) return;
    const ways = [
      ...(paging.tells.next ? ['what each page says of the next one'] : []),
      ...wayNames(parameters),
    ];
    source.report(
      'info',
      node.pointer,
      `The list comes in pages, which are followed by ${ways.join(' or, failing that, by ')}`,
    );
    return;
  }
  const names = Object.values(parameters).flatMap((parameter) => parameter?.name ?? []);
  const taken = names.length === 0 ? 'The answer tells of pages' : `The list takes ${names.join(', ')}`;
  const message = `${taken}, and nothing says how to ask for the pages behind the first: unless its answers do, a list of several pages is an error`;
  const hint = 'x-odata.page, skip, cursor or next says it';
  source.report('warning', node.pointer, `${message}; ${hint}`, 'list-without-next-page');
}

function wayNames({ cursor, lastKey, page, offset }: PageParameters): readonly string[] {
  return [
    ...(cursor === undefined ? [] : [`the cursor ${quote(cursor.name)}`]),
    ...(lastKey === undefined ? [] : [`the last key as ${quote(lastKey.name)}`]),
    ...(page === undefined ? [] : [`the number of the page as ${quote(page.name)}`]),
    ...(offset === undefined ? [] : [`the number of items before it as ${quote(offset.name)}`]),
  ];
}

/** The declared paging of a list. */
interface DeclaredPaging {
  readonly size?: DocumentParameter | undefined;
  readonly page?: DocumentParameter | undefined;
  readonly offset?: DocumentParameter | undefined;
  readonly cursor?: DocumentParameter | undefined;
  /** The cursor is this property of the last item. */
  readonly lastKey?: string | undefined;
  readonly next?: AnswerPath | 'header:link' | undefined;
  readonly more?: AnswerPath | undefined;
  readonly total?: AnswerPath | undefined;
  readonly first?: 0 | 1 | undefined;
  readonly maxTop?: number | undefined;
  /** Said by `x-odata.pageOf`, which asks for no more than it says. */
  readonly isPageOf: boolean;
}

/** The paging declared by `x-odata`, or else by a vendor's extension. */
function declaredPaging(derivation: Derivation, operation: DocumentOperation): DeclaredPaging | undefined {
  const { node } = operation;
  const own = member(node, 'x-odata');
  // Of a feed of changes, the same words say something else.
  if (own !== undefined && member(own, 'since') === undefined) {
    const declared = ownWords(derivation, operation, own);
    if (Object.values(declared).some((word) => word !== undefined && word !== false)) return declared;
  }
  const found = [
    member(node, 'x-ms-pageable') && msPageable(member(node, 'x-ms-pageable')),
    member(node, 'x-speakeasy-pagination') && speakeasy(operation, member(node, 'x-speakeasy-pagination')),
    member(node, 'x-fern-pagination') && fern(operation, member(node, 'x-fern-pagination')),
  ];
  return found.find((each) => each !== undefined);
}

function ownWords(
  derivation: Derivation,
  operation: DocumentOperation,
  settings: DocumentNode,
): DeclaredPaging {
  const parameter = (key: string): DocumentParameter | undefined =>
    requireParameter(derivation, operation, member(settings, key));
  const path = (key: string): AnswerPath | undefined => pathOf(text(member(settings, key)), '/');
  const next = text(member(settings, 'next'));
  const first = number(member(settings, 'first'));
  return {
    size: parameter('top'),
    page: parameter('page'),
    offset: parameter('skip'),
    cursor: parameter('cursor'),
    next: next === 'header:link' ? next : path('next'),
    more: path('more'),
    total: path('total'),
    first: first === 0 || first === 1 ? first : undefined,
    maxTop: number(member(settings, 'maxTop')),
    isPageOf: member(settings, 'pageOf') !== undefined,
  };
}

function requireParameter(
  { source }: Derivation,
  operation: DocumentOperation,
  node: DocumentNode | undefined,
): DocumentParameter | undefined {
  const found = parameterNamed(operation, text(node));
  if (node !== undefined && found === undefined)
    source.report('error', node.pointer, `The operation has no parameter ${quote(node.value)}`);
  return found;
}

function parameterNamed(
  { parameters }: DocumentOperation,
  name: string | undefined,
): DocumentParameter | undefined {
  return parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
}

function pathOf(written: string | undefined, separator: '/' | '.'): AnswerPath | undefined {
  return written === undefined || written === '' ? undefined : written.split(separator);
}

/**
 * The extension of AutoRest: it names the property with the URL of the next page. Null means that there is
 * only one page.
 */
function msPageable(node: DocumentNode | undefined): DeclaredPaging | undefined {
  const next = pathOf(text(member(node, 'nextLinkName')), '.');
  return next && { next, isPageOf: false };
}

/** Speakeasy's: `inputs` are parameters by their meaning, `outputs` JSONPaths (RFC 9535) of single properties. */
function speakeasy(operation: DocumentOperation, node: DocumentNode | undefined): DeclaredPaging {
  const input = (type: string): DocumentParameter | undefined => {
    const found = items(member(node, 'inputs')).find(
      (each) => text(member(each, 'type')) === type && text(member(each, 'in')) === 'parameters',
    );
    return parameterNamed(operation, text(member(found, 'name')));
  };
  const written = (name: string): string => text(member(member(node, 'outputs'), name)) ?? '';
  const output = (name: string): AnswerPath | undefined =>
    /^\$(?:\.[^.[\]]+)+$/.test(written(name)) ? pathOf(written(name).slice(2), '.') : undefined;
  return {
    size: input('limit'),
    page: input('page'),
    offset: input('offset'),
    cursor: input('cursor'),
    lastKey: LAST_ITEM.exec(written('nextCursor'))?.[1],
    next: output('nextUrl') ?? output('nextCursor'),
    isPageOf: false,
  };
}

/** A property of the last item of a list, by a negative index (RFC 9535, 2.3.3): `$.data[-1].id`. */
const LAST_ITEM = /^\$(?:\.[^.[\]]+)*\[-1\]\.([^.[\]]+)$/;

/** Fern's: `$request.name` is a parameter, `$response.name` a property. An offset without a `step` counts pages. */
function fern(operation: DocumentOperation, node: DocumentNode | undefined): DeclaredPaging | undefined {
  if (node === undefined || isTrue(node)) return undefined;
  const behind = (key: string, root: string): string | undefined => {
    const written = text(member(node, key));
    return written?.startsWith(`${root}.`) ? written.slice(root.length + 1) : undefined;
  };
  const input = (key: string) => parameterNamed(operation, behind(key, '$request'));
  const output = (key: string) => pathOf(behind(key, '$response'), '.');
  const counts = input('offset');
  const size = input('step');
  return {
    size,
    page: size === undefined ? counts : undefined,
    offset: size === undefined ? undefined : counts,
    cursor: input('cursor'),
    next: output('next_uri') ?? output('next_cursor'),
    more: output('has-next-page'),
    isPageOf: false,
  };
}

/** Objects within objects that are looked into. */
const DEEPEST = 3;

/** The paging members of a list's response, by the names of properties and header fields. */
function answerSigns(derivation: Derivation, list: ListAnswer): PagingSigns {
  const schema = answerSchema(derivation, list.operation);
  const words = schema === undefined ? [] : wordsIn(derivation, schema, [], list.wrappedIn);
  const headers = members(member(list.operation.response, 'headers')).map(([name]) => name.toLowerCase());
  return {
    next: words.includes('next') || headers.some((name) => NEXT_HEADERS.has(name)),
    more: words.includes('more') || words.includes('last') || words.includes('pages'),
    total: words.includes('total') || headers.some((name) => TOTAL_HEADERS.has(name)),
  };
}

/**
 * Whether values of a schema are pages of a list, such as `{ "data": […], "has_more": true, "url":
 * "/v1/charges/ch_1/refunds" }`: one array of objects, and a member that announces more items.
 */
export function isPageOfList(derivation: Derivation, schema: Schema): boolean {
  const words = new Set(wordsIn(derivation, schema, []));
  return (words.has('next') || words.has('more')) && holdsOneList(derivation, schema);
}

const NEXT_HEADERS: ReadonlySet<string> = new Set([
  'link',
  'x-next-page',
  'x-next-cursor',
  'x-ms-continuation',
  'x-continuation-token',
]);
const TOTAL_HEADERS: ReadonlySet<string> = new Set(['x-total-count', 'x-total', 'x-wp-total', 'total-count']);

function wordsIn(
  derivation: Derivation,
  schema: Schema,
  path: AnswerPath,
  list?: AnswerPath,
): readonly string[] {
  return signsIn(derivation, schema, path, list).map(({ kind }) => kind);
}

interface AnswerSign {
  readonly kind: PageWord['kind'];
  readonly node: DocumentNode;
}

/** The members that say something of pages. The objects around the list may have any names. */
function signsIn(
  derivation: Derivation,
  schema: Schema,
  path: AnswerPath,
  list: AnswerPath = [],
): readonly AnswerSign[] {
  if (!isObjectSchema(schema)) return [];
  return [...schemaProperties(schema)].flatMap(([name, node]) => {
    const place = [...path, name];
    const word = pageWord(place);
    const isContainer = (isPageContainer(name) || isAround(list, place)) && place.length < DEEPEST + 1;
    if (word === undefined && !isContainer) return [];
    const inner = derivation.read(node);
    if (inner === undefined || isArraySchema(inner)) return [];
    const within = isContainer ? signsIn(derivation, inner, place, list) : [];
    return word === undefined || isObjectSchema(inner) ? within : [{ kind: word.kind, node }];
  });
}
