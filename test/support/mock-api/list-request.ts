import { filteredRows } from './filtered-rows.ts';
import type { ListResource } from './find-resource.ts';
import { isObject, type JsonObject } from './json.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import type { MockAnswer } from './mock-answer.ts';
import type { GivenValues, MockResources } from './mock-resources.ts';
import { cursorAt, type Page, type PageGround, pageOf } from './page.ts';
import { envelopeOf, linkHeader, pageUrl, type SentPage } from './page-answer.ts';
import type { PagedList } from './paging.ts';
import { plainWord } from './plain-word.ts';
import type { Route } from './router.ts';

/** A request of a list. */
export interface ListRequest extends Route {
  readonly url: URL;
  readonly misbehaviour: Misbehaviour;
}

/** Answers with the page that is asked for. */
export function answerList(
  resources: MockResources,
  resource: ListResource,
  request: ListRequest,
): MockAnswer {
  const { operation, url, misbehaviour } = request;
  const values = { ...request.values, ...requiredValues(request) };
  const list = misbehaviour.undocumented === undefined ? resource.list : partly(resource.list);
  const isEndless = misbehaviour.endless !== undefined && list.paging.kind !== 'whole';
  const whole = resources.groundOf(
    resource,
    isEndless ? Number.MAX_SAFE_INTEGER : resources.sizeOf(resource),
  );
  const rowOf = (number: number) => resources.rowOf(resource, operation, number, values);
  const left =
    misbehaviour.filters === undefined
      ? undefined
      : filteredRows(
          Array.from({ length: whole.total }, (_, index) => rowOf(index + 1)),
          url.searchParams,
          operation,
        );
  const ground = left === undefined ? whole : groundOfSome(whole, left);
  const page = pageOf(list, url.searchParams, ground, misbehaviour.largestPage);
  if (typeof page === 'string') return { status: 400, body: { message: page } };
  const sent: SentPage = {
    list,
    page,
    next: nextStart(list, page, misbehaviour),
    url,
    origin: misbehaviour.nextOrigin ?? url.origin,
    tellsTotal: reportsTotal(list, request),
  };
  const rows = Array.from({ length: page.end - page.start }, (_, index) =>
    rowOf(left?.[page.start + index] ?? page.start + index + 1),
  );
  const body = operation.answer === undefined ? rows : envelopeOf(sent, operation.answer, rows, ground);
  const signs = [neededSign(list, body), misbehaviour.undocumented];
  return signs.reduce<MockAnswer>((answer, sign) => withSign(answer, sign, sent, ground), {
    status: operation.status,
    body,
  });
}

/** The ground of the rows with those numbers, as a list of their own. */
function groundOfSome(ground: PageGround, numbers: readonly number[]): PageGround {
  return {
    ...ground,
    total: numbers.length,
    rowOf: (key) => {
      const at = numbers.indexOf(ground.rowOf(key) ?? 0);
      return at < 0 ? undefined : at + 1;
    },
    keyOf: (row) => ground.keyOf(numbers[row - 1] ?? 0),
  };
}

function requiredValues({ operation, url }: ListRequest): GivenValues {
  const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return Object.fromEntries(required.map(({ name }) => [name, url.searchParams.get(name) ?? '']));
}

/** A list that is said to come whole, in pages. */
function partly(list: PagedList): PagedList {
  return list.paging.kind === 'whole' ? { ...list, paging: { kind: 'url', size: undefined } } : list;
}

/** The row before the next page's first one. */
function nextStart({ paging }: PagedList, page: Page, { endless }: Misbehaviour): number | undefined {
  if (paging.kind === 'whole' || paging.kind === 'size') return undefined;
  if (endless === 'circle') return page.start;
  return page.end < page.total ? page.end : undefined;
}

/** Some APIs tell a total only where a parameter with its name says so. */
function reportsTotal({ signs }: PagedList, { operation, url }: ListRequest): boolean {
  const [place = ''] = [...signs].find(([, sign]) => sign === 'total') ?? [];
  const word = plainWord(place.split('.').at(-1) ?? '');
  const switches = operation.parameters.filter(
    ({ name, schema }) => plainWord(name) === word && schema['type'] === 'boolean',
  );
  return switches.every(({ name }) => url.searchParams.get(name) === 'true');
}

type Sign = Misbehaviour['undocumented'] | 'next_cursor';

/** Clients can only page by members that the responses contain, even undocumented ones. */
function neededSign({ paging, signs, hasLink }: PagedList, body: unknown): Sign {
  const indicators = new Set(signs.values());
  const hasIndicator =
    hasLink || indicators.has('next url') || indicators.has('next path') || indicators.has('next cursor');
  if (hasIndicator) return hasLink ? 'link header' : undefined;
  if (paging.kind !== 'cursor' && paging.kind !== 'last row') return undefined;
  if (!isObject(body)) return 'link header';
  if (paging.kind === 'cursor') return 'next_cursor';
  return indicators.has('more') ? undefined : 'has_more';
}

function withSign(answer: MockAnswer, sign: Sign, sent: SentPage, ground: PageGround): MockAnswer {
  if (sign === 'link header') {
    const link = linkHeader(sent, ground);
    return link === undefined ? answer : { ...answer, headers: { link } };
  }
  const { body } = answer;
  return isObject(body) ? { ...answer, body: { ...body, ...signIn(sign, sent, ground) } } : answer;
}

function signIn(sign: Sign, sent: SentPage, ground: PageGround): JsonObject {
  const { next, page, list } = sent;
  switch (sign) {
    case 'has_more':
      return { has_more: next !== undefined };
    case 'total':
      return { total: page.total };
    case 'next':
      return { next: next === undefined ? null : pageUrl(sent, next, ground) };
    case 'next_cursor':
      return { next_cursor: next === undefined ? null : cursorAt(list.paging, next, ground) };
    default:
      return {};
  }
}
