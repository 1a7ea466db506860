import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { demandNoCoding } from '../../payload/negotiation/content-coding.ts';
import { parseMediaRange } from '../../payload/negotiation/media-range.ts';
import { formBlanks } from '../../url/form-encoding.ts';

const TEXT = 'text/plain';
const FORM = 'application/x-www-form-urlencoded';
const QUERY_SEGMENT = /\/(?:\$|%24)query\/?$/;

/** Whether the path ends with `/$query` (Part 1, 11.2.1.1): the query options are in the body of a POST. */
export function isQueryInBody({ target }: Pick<BudgetedRequest, 'target'>): boolean {
  return QUERY_SEGMENT.test(pathOf(target));
}

/** The GET that the POST stands for: the body is put behind what the URL's query has. */
export function withQueryOfBody(request: BudgetedRequest): BudgetedRequest {
  const { target, headers, body } = request;
  const { type } = parseMediaRange(headers['content-type'] ?? '');
  if (type !== TEXT && type !== FORM) {
    const message = `Content-Type: expected ${TEXT} or ${FORM} with query options.`;
    throw new GatewayError('UnsupportedMediaType', message, { target: 'Content-Type' });
  }
  demandNoCoding(headers);
  const path = pathOf(target);
  const text = Buffer.from(body ?? [])
    .toString()
    .trim();
  const options = [target.slice(path.length + 1), encodedForUrl(type === FORM ? formBlanks(text) : text)];
  const query = options.filter((part) => part !== '').join('&');
  const resource = path.replace(QUERY_SEGMENT, '');
  return {
    ...request,
    method: 'GET',
    target: query === '' ? resource : `${resource}?${query}`,
    body: undefined,
  };
}

/** A body may have what cannot stand in a URL as it is, as next links must (RFC 3986, 3.4). */
function encodedForUrl(options: string): string {
  return options.replace(NOT_IN_QUERIES, encodeURIComponent);
}

const NOT_IN_QUERIES = /[^\w!$%&'()*+,\-./:;=?@~]/gu;

/** What the query would be about. */
export function queriedResource(request: BudgetedRequest): BudgetedRequest {
  return { ...request, method: 'GET', target: pathOf(request.target).replace(QUERY_SEGMENT, '') };
}

function pathOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}
