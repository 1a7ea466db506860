import { GatewayError } from '../../contract/gateway-error.ts';

/** Nothing says how to ask for the rest of a list. The message holds nothing of the upstream but numbers. */
export function incompleteList(total: number | undefined, came: number): GatewayError {
  const message =
    total === undefined
      ? `The list has more than the ${came} rows that came, and the document does not say how to ask for the rest.`
      : `The list has ${total} rows, ${came} came, and the document does not say how to ask for the rest.`;
  return new GatewayError('UpstreamIncomplete', message, { cause: new Error('the list is not whole') });
}

/** The list is longer than the gateway's limits allow it to be read. */
export function tooLongList(came: number, pages: number, total: number | undefined): GatewayError {
  const message = `The list is too long to be read as a whole: ${progress(came, pages, total)}. Ask for a part of it, as with $top.`;
  return new GatewayError('UpstreamIncomplete', message, { cause: new Error('the list is too long') });
}

/** How far the reading has come, as in `2000 of 5000 rows came, on 20 pages`. */
export function progress(came: number, pages: number, total: number | undefined): string {
  const rows = total === undefined ? `${came} rows` : `${came} of ${total} rows`;
  return `${rows} came, on ${pages} ${pages === 1 ? 'page' : 'pages'}`;
}
