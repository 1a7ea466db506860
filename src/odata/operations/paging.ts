import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Row } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';

/** A part of a collection: how many of its entities are before it, and how many it may have. */
export interface PageOfAnswer {
  readonly offset: number;
  /** Undefined where neither the client nor the model wants pages: the answer is whole. */
  readonly size: number | undefined;
}

/** What is shown of a collection, and the URL of the rest, relative to the service root. */
export interface CutPage {
  readonly rows: readonly Row[];
  readonly nextTarget: string | undefined;
}

/**
 * Server-driven paging (Part 1, 11.2.6.7): tokens say where the next page begins. They are signed, together
 * with the URL they belong to, so that nobody takes them for something to make up.
 */
export interface Paging {
  /**
   * The page that a request asks for: that of its token, which goes on with pages of the same size, or the
   * first one. A token that is not ours, or another URL's, is a BadRequest.
   */
  pageOf(target: string, size: number | undefined): PageOfAnswer;
  cut(rows: readonly Row[], page: PageOfAnswer, target: string): CutPage;
}

/** `key` must be the same wherever a token may come back to. */
export function createPaging(key: string | Uint8Array): Paging {
  const sign = (position: string, target: string): Buffer =>
    createHmac('sha256', key).update(`${position} ${target}`).digest().subarray(0, SIGNATURE_BYTES);
  return {
    pageOf(target, size) {
      const { rest, token } = splitTarget(target);
      if (token === undefined) return { offset: 0, size };
      const [, offset, tokenSize, signature] = TOKEN.exec(token) ?? [];
      const expected = sign(`${offset}-${tokenSize}`, rest);
      const given = Buffer.from(signature ?? '', 'base64url');
      const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
      if (!isOurs) throw unknownToken();
      return { offset: Number(offset), size: Number(tokenSize) };
    },
    cut(rows, { offset, size }, target) {
      if (size === undefined) return { rows, nextTarget: undefined };
      const end = offset + size;
      const shown = offset === 0 && rows.length <= end ? rows : rows.slice(offset, end);
      if (rows.length <= end) return { rows: shown, nextTarget: undefined };
      const { rest } = splitTarget(target);
      const position = `${end}-${size}`;
      const token = `${position}-${sign(position, rest).toString('base64url')}`;
      return { rows: shown, nextTarget: `${rest}${rest.includes('?') ? '&' : '?'}$skiptoken=${token}` };
    },
  };
}

const SIGNATURE_BYTES = 16;
const TOKEN = /^(\d{1,15})-(\d{1,9})-([\w-]{22})$/;

/** A request target without its token, and the token. */
function splitTarget(target: string): { readonly rest: string; readonly token: string | undefined } {
  const mark = target.indexOf('?');
  if (mark < 0) return { rest: target, token: undefined };
  const options = target.slice(mark + 1).split('&');
  const token = options.find((option) => OPTION.test(option));
  const others = options.filter((option) => option !== token).join('&');
  const path = target.slice(0, mark);
  return {
    rest: others === '' ? path : `${path}?${others}`,
    token: token?.slice(token.indexOf('=') + 1),
  };
}

const OPTION = /^(?:\$|%24)?skiptoken=/i;

function unknownToken(): GatewayError {
  const message = '$skiptoken: expected the one of a next link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$skiptoken' });
}
