import type { IncomingMessage } from 'node:http';

/**
 * Turns the query parameter that holds an API key into the header field `X-API-Key`, for clients that can send
 * no header. From here on it is no part of the target: no log, no link and no part sees it.
 *
 * A header field that is there stays as it is.
 */
export function liftKeyParameter(request: IncomingMessage, name: string): void {
  const target = request.url ?? '';
  const mark = target.indexOf('?');
  if (mark < 0) return;
  const parameters = target.slice(mark + 1).split('&');
  const others = parameters.filter((parameter) => nameOf(parameter) !== name);
  if (others.length === parameters.length) return;
  const given = parameters.find((parameter) => nameOf(parameter) === name) ?? '';
  request.url = `${target.slice(0, mark)}${others.length === 0 ? '' : `?${others.join('&')}`}`;
  request.headers['x-api-key'] ??= decode(given.slice(given.indexOf('=') + 1));
}

function nameOf(parameter: string): string {
  return decode(parameter.split('=', 1)[0] ?? '');
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
