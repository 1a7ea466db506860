import { GatewayError } from '../../contract/gateway-error.ts';
import { PAGE_LIMITS, type PageLimits } from '../../core/request-limits.ts';
import type { Paging } from '../../model/operation.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import { parameterOf } from './paging-strategy.ts';

/** The progress of a read of a list. */
export interface Progress {
  readonly rows: number;
  readonly pages: number;
  /** Number of all rows, if known. */
  readonly total: number | undefined;
  /** Earlier requests have read the pages before. */
  readonly isContinued?: boolean;
  /** For several lists that are read together: how many have been read to their end. */
  readonly lists?: { readonly done: number; readonly all: number };
}

/** No request leads to the rest of a list. The message has nothing of the upstream but numbers. */
export function incompleteList(paging: Paging, total: number | undefined, came: number): GatewayError {
  const fact =
    total !== undefined
      ? `The list has ${total} rows, ${came} came`
      : `The list has more than the ${came} rows that were received`;
  return incomplete(`${fact}, and the document does not say how to ask for the rest. ${advice(paging)}`);
}

/** The list may be longer than the page that came, because servers usually cap their pages at that number. */
export function doubtfulList(paging: Paging, came: number): GatewayError {
  const fact = `${came} rows were received, which may not be the whole list`;
  return incomplete(
    `${fact}: the document does not say how to ask for the rest. ${advice(paging)} If that is the whole list, x-odata.maxTop says how many rows the API returns at most.`,
  );
}

/** The pages of a list end before its total. */
export function endedEarly(total: number, came: number): GatewayError {
  return incomplete(`The list has ${total} rows, but its pages end after ${came} rows: the rest is missing.`);
}

/** The list changed twice while its pages were read. */
export function changedList(came: Progress): GatewayError {
  return incomplete(
    `The list keeps changing while its pages are read: ${progressText(came)}, and some of them came twice or are missing. Try again, or ask for a part of it, for example with $top.`,
  );
}

function incomplete(message: string): GatewayError {
  return new GatewayError('UpstreamIncomplete', message, { cause: new Error('the list is not whole') });
}

/** The keywords that would lead to the rest of the list. */
function advice(paging: Paging): string {
  const keywords =
    parameterOf(paging, 'cursor') === undefined
      ? 'x-odata.page, skip, cursor or next'
      : 'x-odata.next, for the cursor in its answers,';
  return `${keywords} on the operation says it.`;
}

/** Maximum number of pages; a list with more of them is a fault of the upstream. */
export const MOST_PAGES = 10_000;

/** The error for a list whose first page shows that the rest is beyond the limits. `isPassedOn`: the list is not held as a whole. */
export function refusedList(
  total: number,
  pages: number,
  limits: PageLimits,
  isPassedOn: boolean,
): GatewayError {
  const { variable } = isPassedOn ? PAGE_LIMITS.exportRows : PAGE_LIMITS.rows;
  const most = isPassedOn ? limits.exportRows : limits.rows;
  const isOfRows = total > most;
  const found = isOfRows ? `${total} rows` : `${pages} pages`;
  const allowed = isOfRows ? `${most} rows (${variable})` : `${MOST_PAGES} pages`;
  const advice = isPassedOn
    ? ''
    : ', or export the list without an order, as CSV or JSON lines: its rows are then passed on while they are read';
  const message = `The list is too long for this request: it has ${found}, and at most ${allowed} are read. Narrow the request, for example with conditions or $top${advice}.`;
  return new GatewayError('BadRequest', message, isOfRows ? { limit: variable } : {});
}

/** The error for a list beyond the limits. */
export function tooLongList(
  came: Progress,
  bytes: number,
  limits: PageLimits,
  isPassedOn = false,
): GatewayError {
  const { variable, unit } = PAGE_LIMITS.bytes;
  const [rows, most] = isPassedOn
    ? [PAGE_LIMITS.exportRows, limits.exportRows]
    : [PAGE_LIMITS.rows, limits.rows];
  if (came.rows > most) return tooLong(came, `${most} rows`, rows.variable);
  if (bytes > limits.bytes) return tooLong(came, `${limits.bytes / unit} MiB`, variable);
  return tooLong(came, `${MOST_PAGES} pages`);
}

function tooLong(came: Progress, most: string, variable?: string): GatewayError {
  const allowed = variable === undefined ? most : `${most} (${variable})`;
  const message = `The list is too long to be read as a whole: ${progressText(came)}, and at most ${allowed} are read. Ask for a part of it, for example with $top.`;
  const cause = new Error('the list is too long');
  return new GatewayError('UpstreamIncomplete', message, { cause, ...(variable && { limit: variable }) });
}

/** All pages together took longer than allowed. `last` is the error of the last of them. */
export function tooSlowList(came: Progress, last: GatewayError): GatewayError {
  const { variable } = PAGE_LIMITS.time;
  const message = `${last.message} ${progressText(came)}, in the time that a list is given (${variable}).`;
  return last.with({ message, limit: variable });
}

/** The limits of the API allow too few requests for such pages of a list in the time that a list is given. */
export function meteredList(pages: string, waitMs: number): GatewayError {
  const { variable } = PAGE_LIMITS.time;
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `The list has ${pages}, which take ${seconds} s by the limits of the upstream service, longer than a list is given (${variable}). Ask for a part of it, for example with $top.`;
  return new GatewayError('BadRequest', message, { limit: variable });
}

/** A page came again: an upstream that ignores the position of a page would repeat it forever. */
export function endlessList(came: Progress): GatewayError {
  const bad = badResponse('the pages of the list do not come to an end');
  const fact = `The pages of the list do not come to an end: ${progressText(came)}, and one of them came again.`;
  return bad.with({ message: `${bad.message} ${fact}` });
}

/** The first page came again for the next one: the API ignores the parameter that the document declares for it. */
export function ignoredPosition(total: number | undefined, came: number): GatewayError {
  const bad = badResponse('the API ignores which page is requested');
  const received = total === undefined ? `${came} rows` : `${came} of ${total} rows`;
  const fact = `The request for the next page was answered with the first page again: the API ignores the parameter that the document declares for it. ${received} were received, which may not be the whole list.`;
  const advice =
    'x-odata.page, skip, cursor or next on the operation says how to ask for the rest; if that is the whole list, x-odata.maxTop says how many rows the API returns at most.';
  return bad.with({ message: `${bad.message} ${fact} ${advice}` });
}

/** Renders `2000 of 5000 rows came, on 20 pages`, or `2000 rows came, on 20 pages, 7 of 100 lists to their end`. */
export function progressText({ rows, pages, total, lists, isContinued = false }: Progress): string {
  const known = total === undefined ? `${rows} rows` : `${rows} of ${total} rows`;
  const joint = lists === undefined ? '' : `, ${lists.done} of ${lists.all} lists to their end`;
  if (isContinued) return `${known} came, in this request and those before it`;
  return `${known} came, on ${pages} ${pages === 1 ? 'page' : 'pages'}${joint}`;
}
