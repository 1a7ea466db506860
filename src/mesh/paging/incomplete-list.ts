import { GatewayError } from '../../contract/gateway-error.ts';
import { PAGE_LIMITS, type PageLimits } from '../../contract/page-limits.ts';
import { badResponse } from '../exchange/upstream-failure.ts';

/** Nothing says how to ask for the rest of a list. The message holds nothing of the upstream but numbers. */
export function incompleteList(total: number | undefined, came: number): GatewayError {
  const message =
    total === undefined
      ? `The list has more than the ${came} rows that came, and the document does not say how to ask for the rest.`
      : `The list has ${total} rows, ${came} came, and the document does not say how to ask for the rest.`;
  return new GatewayError('UpstreamIncomplete', message, { cause: new Error('the list is not whole') });
}

/** How far the reading of a list has come. */
export interface Progress {
  readonly rows: number;
  readonly pages: number;
  /** Of all rows, where that is known. */
  readonly total: number | undefined;
  /** Of several lists that are read together, how many have come to their end. */
  readonly lists?: { readonly done: number; readonly all: number };
}

/** From so many pages on, something is wrong with the upstream. */
const MOST_PAGES = 10_000;

/** The error for a list that is longer than it may be read; undefined for one that is not. */
export function tooLongList(came: Progress, bytes: number, limits: PageLimits): GatewayError | undefined {
  const { variable, unit } = PAGE_LIMITS.bytes;
  if (came.rows > limits.rows) return tooLong(came, `${limits.rows} rows`, PAGE_LIMITS.rows.variable);
  if (bytes > limits.bytes) return tooLong(came, `${limits.bytes / unit} MiB`, variable);
  return came.pages > MOST_PAGES ? tooLong(came, `${MOST_PAGES} pages`) : undefined;
}

function tooLong(came: Progress, most: string, variable?: string): GatewayError {
  const allowed = variable === undefined ? most : `${most} (${variable})`;
  const message = `The list is too long to be read as a whole: ${progress(came)}, and at most ${allowed} are read. Ask for a part of it, as with $top.`;
  const cause = new Error('the list is too long');
  return new GatewayError('UpstreamIncomplete', message, { cause, ...(variable && { limit: variable }) });
}

/** All pages together have taken longer than they may. `cause` is what came of the last of them. */
export function tooSlowList(came: Progress, { code, message, cause, headers }: GatewayError): GatewayError {
  const { variable } = PAGE_LIMITS.time;
  const told = `${message} ${progress(came)}, in the time that a list is given (${variable}).`;
  return new GatewayError(code, told, { cause, headers, limit: variable });
}

/** A page came again: an upstream that gives it whatever it is asked for would do so forever. */
export function endlessList(came: Progress): GatewayError {
  const { code, message, cause } = badResponse('the pages of the list do not come to an end');
  const told = `${message} The pages of the list do not come to an end: ${progress(came)}, and one of them came again.`;
  return new GatewayError(code, told, { cause });
}

/** As in `2000 of 5000 rows came, on 20 pages`, or `2000 rows came, on 20 pages, 7 of 100 lists to their end`. */
export function progress({ rows, pages, total, lists }: Progress): string {
  const known = total === undefined ? `${rows} rows` : `${rows} of ${total} rows`;
  const joint = lists === undefined ? '' : `, ${lists.done} of ${lists.all} lists to their end`;
  return `${known} came, on ${pages} ${pages === 1 ? 'page' : 'pages'}${joint}`;
}
