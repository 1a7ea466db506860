import { quote } from '../../../openapi/document/document-source.ts';
import { type Schema, schemaProperties } from '../../../openapi/schemas/schema.ts';
import type { PageSize, PagesTold, PageWay, Paging } from '../../paging.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { DocumentParameter } from '../operations/document-parameter.ts';
import { answerSigns } from './answer-signs.ts';
import { defaultNumber, givenParameter } from './given-parameter.ts';
import type { ListAnswer } from './list-answer.ts';
import { type PageParameters, pageParameters } from './parameter-roles.ts';
import { type SaidPaging, saidPaging } from './said-paging.ts';

/**
 * How the pages of a list are asked for: as the document says in so many words, else by the names of parameters,
 * properties and header fields. Undefined where nothing tells of pages.
 */
export function pagingOf(derivation: Derivation, list: ListAnswer): Paging | undefined {
  const { operation } = list;
  const said = saidPaging(derivation, operation);
  const tells = toldBy(answerSigns(derivation, list), said);
  const found = parametersOf(pageParameters(derivation, operation, tells), said);
  const size = found.size && pageSize(derivation, found.size, said);
  const ways = waysOf(derivation, list, found, said);
  if (size === undefined && ways.length === 0 && !tells.next && !tells.more) return undefined;
  const { next, more, total, isPageOf = false } = said ?? {};
  const places = { next: next === 'header:link' ? undefined : next, more, total };
  const paging: Paging = { size, ways, tells, places, onward: !isPageOf };
  reportPaging(derivation, operation, paging, found);
  return paging;
}

function toldBy(signs: PagesTold, said: SaidPaging | undefined): PagesTold {
  return {
    next: signs.next || said?.next !== undefined,
    more: signs.more || said?.more !== undefined,
    total: signs.total || said?.total !== undefined,
  };
}

/** Where the document says by which parameter the next page is asked for, it is by no other. */
function parametersOf(found: PageParameters, said: SaidPaging | undefined): PageParameters {
  const { size = found.size, page, offset, cursor, lastKey } = said ?? {};
  const isSaid = page !== undefined || offset !== undefined || cursor !== undefined;
  if (!isSaid) return { ...found, size };
  const byLast = lastKey === undefined ? undefined : cursor;
  return { size, page, offset, cursor: byLast === undefined ? cursor : undefined, lastKey: byLast };
}

/** What most APIs bear, where the document does not say. */
const USUAL_SIZE = 100;

/** A maximum beyond this is that of the type of number. */
const LARGEST_SIZE = 10_000;

function pageSize(
  derivation: Derivation,
  parameter: DocumentParameter,
  said: SaidPaging | undefined,
): PageSize {
  const given = givenParameter(derivation, parameter);
  const listed = given.values.values?.map(Number).filter(Number.isSafeInteger) ?? [];
  const most = said?.maxTop ?? (listed.length > 0 ? Math.max(...listed) : given.values.maximum);
  const bounded = most === undefined || most > LARGEST_SIZE ? undefined : most;
  const otherwise = defaultNumber(derivation, parameter);
  const asked = Math.min(
    bounded ?? (most === undefined ? (otherwise ?? USUAL_SIZE) : LARGEST_SIZE),
    LARGEST_SIZE,
  );
  const isAsked = bounded !== undefined || parameter.required || said?.isPageOf !== true;
  return {
    parameter: { ...given, values: { ...given.values, maximum: isAsked ? asked : most } },
    largest: isAsked ? asked : undefined,
    sure: most !== undefined || otherwise !== undefined,
  };
}

function waysOf(
  derivation: Derivation,
  { item }: ListAnswer,
  { cursor, lastKey, page, offset }: PageParameters,
  said: SaidPaging | undefined,
): readonly PageWay[] {
  const given = (parameter: DocumentParameter) => givenParameter(derivation, parameter);
  const ways: readonly (PageWay | undefined)[] = [
    cursor && { kind: 'cursor', parameter: given(cursor) },
    lastKey && { kind: 'lastKey', parameter: given(lastKey), property: said?.lastKey ?? keyProperty(item) },
    page && { kind: 'page', parameter: given(page), first: said?.first ?? firstPage(derivation, page) },
    offset && {
      kind: 'offset',
      parameter: given(offset),
      first: said?.first ?? firstOffset(derivation, offset),
    },
  ];
  return ways.filter((way) => way !== undefined);
}

/** What objects are told apart by, whatever their URLs have. */
function keyProperty(item: Schema): string | undefined {
  const properties = schemaProperties(item);
  return ['id', 'uuid', 'gid', 'sid', 'uid', 'key'].find((name) => properties.has(name));
}

/** Where a minimum of 0 stands alone, it may be that of the type of number. */
function firstPage(derivation: Derivation, parameter: DocumentParameter): 0 | 1 | undefined {
  const otherwise = defaultNumber(derivation, parameter);
  if (otherwise === 0 || otherwise === 1) return otherwise;
  return givenParameter(derivation, parameter).values.minimum === 1 ? 1 : undefined;
}

function firstOffset(derivation: Derivation, parameter: DocumentParameter): 0 | 1 {
  const otherwise = defaultNumber(derivation, parameter);
  const least = otherwise ?? givenParameter(derivation, parameter).values.minimum;
  return least === 1 ? 1 : 0;
}

/** Whether there is a way to another page than the first. A cursor is none unless answers tell it. */
function goesOn({ ways, tells }: Paging): boolean {
  return tells.next || ways.some(({ kind }) => kind !== 'cursor');
}

function reportPaging(
  { source }: Derivation,
  { node }: DocumentOperation,
  paging: Paging,
  parameters: PageParameters,
): void {
  if (goesOn(paging)) {
    if (!paging.onward) return;
    const ways = [
      ...(paging.tells.next ? ['what each page says of the next one'] : []),
      ...wayNames(parameters),
    ];
    source.report(
      'info',
      node.pointer,
      `The list comes in pages, which are followed by ${ways.join(', else by ')}`,
    );
    return;
  }
  const names = Object.values(parameters).flatMap((parameter) => parameter?.name ?? []);
  const taken = names.length === 0 ? 'The answer tells of pages' : `The list takes ${names.join(', ')}`;
  const message = `${taken}, and nothing says how to ask for the pages behind the first: where there are more, it is an error`;
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
