import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { inOneForm, tokenSignature } from '../../../core/token-signature.ts';
import type { PageRange } from '../../../engine/read/prepare-query.ts';

/** The part of a collection that an answer shows. */
export interface PageOfAnswer extends PageRange {
  /** The token of the state before the first page, where changes are tracked. */
  readonly tracked?: string | undefined;
}

/** What is shown of a collection, and the URL of the rest. */
export interface CutPage<Item> {
  readonly rows: readonly Item[];
  readonly nextLink: string | undefined;
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
  cut<Item>(rows: readonly Item[], page: PageOfAnswer, target: string): CutPage<Item>;
  /**
   * The URL of a page that begins where the upstream's list goes on, which nobody can see in it; undefined where it would
   * be longer than a URL may be.
   */
  onward(target: string, page: PageOfAnswer): string | undefined;
}

/** What links are made with. */
export interface LinkOptions {
  /** Signs them: it must be the same wherever a token may come back to. */
  readonly key: string | Uint8Array;
  /** The public URL of the service root, without a slash at the end. */
  readonly root: string;
  /** No target is longer, below the root. */
  readonly longest: number;
}

/**
 * A query that came in a body may be longer than a URL: whose next link would be too long is given all of the rest
 * instead.
 */
export function createPaging({ key, root, longest }: LinkOptions): Paging {
  const signature = tokenSignature(key, '');
  const sealed = sealedPositions(key);
  return {
    pageOf(target, size) {
      const { rest, token } = splitTarget(target);
      if (token === undefined) return { offset: 0, size };
      if (token.startsWith(SEALED)) return readOnward(sealed.open(token.slice(SEALED.length), rest));
      const [, position = '', offset, tokenSize, tracked, signed = ''] = TOKEN.exec(token) ?? [];
      if (!signature.isOf(position, rest, signed)) throw unknownSkipToken();
      const page = { offset: Number(offset), size: Number(tokenSize) };
      return tracked === undefined ? page : { ...page, tracked: decodeToken(tracked) };
    },
    cut(rows, { offset, size, tracked }, target) {
      if (size === undefined) return { rows, nextLink: undefined };
      const end = offset + size;
      const shown = offset === 0 && rows.length <= end ? rows : rows.slice(offset, end);
      if (rows.length <= end) return { rows: shown, nextLink: undefined };
      const { rest } = splitTarget(target);
      const position = tracked === undefined ? `${end}-${size}` : `${end}-${size}.${encodeToken(tracked)}`;
      const token = `${position}-${signature.of(position, rest)}`;
      const nextTarget = withOption(rest, '$skiptoken', token);
      return nextTarget.length > longest
        ? { rows: rows.slice(offset), nextLink: undefined }
        : { rows: shown, nextLink: root + nextTarget };
    },
    onward(target, { offset, size, from, plan }) {
      const { rest } = splitTarget(target);
      const token = sealed.seal(JSON.stringify([offset, size ?? null, from, plan]), rest);
      const nextTarget = withOption(rest, '$skiptoken', `${SEALED}${token}`);
      return nextTarget.length > longest ? undefined : root + nextTarget;
    },
  };
}

/** What the tokens begin with that say where an upstream's list goes on. */
const SEALED = '~';

function readOnward(said: string | undefined): PageOfAnswer {
  if (said === undefined) throw unknownSkipToken();
  const [offset, size, from, plan] = JSON.parse(said) as [number, number | null, string, string | undefined];
  return { offset, size: size ?? undefined, from, plan };
}

const TOKEN = /^((\d{1,15})-(\d{1,9})(?:\.([\w-]+))?)-([\w-]{22})$/;

function splitTarget(target: string): TokenTarget {
  return withoutToken(target, SKIP_TOKEN);
}

function unknownSkipToken(): GatewayError {
  const message = '$skiptoken: expected the one of a next link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$skiptoken' });
}

/** The error for a token of a plan that the service does not have any more: its position is not planned anew. */
export function outdatedSkipToken(): GatewayError {
  const message =
    '$skiptoken: the service reads this list in another way by now; read it from its beginning.';
  return new GatewayError('Gone', message, { target: '$skiptoken' });
}

/** Hides what a token says: where a list goes on is the upstream's affair, and may be its URL. */
interface SealedPositions {
  /** In letters of base64url. */
  seal(said: string, target: string): string;
  /** Undefined where it was not sealed by this service, for that target. */
  open(sealed: string, target: string): string | undefined;
}

/** AES in Galois/Counter Mode (NIST SP 800-38D). */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key` must be the same wherever a token may come back to. */
function sealedPositions(key: string | Uint8Array): SealedPositions {
  const own = Buffer.from(hkdfSync('sha256', key, '', 'positions of lists', KEY_BYTES));
  return {
    seal(said, target) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, own, nonce).setAAD(Buffer.from(inOneForm(target)));
      const text = Buffer.concat([cipher.update(said, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(sealed, target) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, own, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(inOneForm(target)))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** A request target without its token, and the token. */
interface TokenTarget {
  readonly rest: string;
  readonly token: string | undefined;
}

const SKIP_TOKEN = /^(?:\$|%24)?skiptoken=/i;
const DELTA_TOKEN = /^(?:\$|%24)?deltatoken=/i;

/** `option` matches the beginning of the query option that is the token. */
function withoutToken(target: string, option: RegExp): TokenTarget {
  const mark = target.indexOf('?');
  if (mark < 0) return { rest: target, token: undefined };
  const options = target.slice(mark + 1).split('&');
  const token = options.find((each) => option.test(each));
  const others = options.filter((each) => each !== token).join('&');
  const path = target.slice(0, mark);
  return {
    rest: others === '' ? path : `${path}?${others}`,
    token: token?.slice(token.indexOf('=') + 1),
  };
}

function withOption(target: string, name: string, value: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${name}=${value}`;
}

/** A token's text, in letters that stand in a URL as they are. */
function encodeToken(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decodeToken(token: string): string {
  return Buffer.from(token, 'base64url').toString();
}

/** Which part of the changes since a state a request is for. */
interface DeltaPage {
  /** The id of the last entity on the page before; undefined on the first. */
  readonly after: string | undefined;
  /** Undefined where neither the client nor the model wants pages. */
  readonly size: number | undefined;
  /** The state that the delta link on the last page will be about, as it was read with the first. */
  readonly next: string | undefined;
}

/** What is shown of the changes, and the URL of the rest. */
interface CutDelta {
  /** Whether what has that id is on the page. */
  readonly isShown: (id: string) => boolean;
  readonly nextLink: string | undefined;
}

/**
 * Pages of changes (Part 1, 11.3 and 11.2.6.7), in the order of the entities' ids: each page is read from the upstream
 * anew, where more may have changed, but what has changed since a state still has then. None of it is passed over.
 */
export interface DeltaPages {
  /** A token that is not ours, or another URL's, is a BadRequest. */
  pageOf(target: string, size: number | undefined): DeltaPage;
  /** `next` is the state as of this page. */
  cut(ids: readonly string[], page: DeltaPage, next: string, target: string): CutDelta;
}

export function createDeltaPages({ key, root, longest }: LinkOptions): DeltaPages {
  const signature = tokenSignature(key, 'changes after ');
  return {
    pageOf(target, size) {
      const { rest, token } = withoutToken(target, SKIP_TOKEN);
      if (token === undefined) return { after: undefined, size, next: undefined };
      const [, position = '', tokenSize, after = '', next = '', signed = ''] =
        DELTA_PAGE_TOKEN.exec(token) ?? [];
      if (!signature.isOf(position, rest, signed)) throw unknownSkipToken();
      return { after: decodeToken(after), size: Number(tokenSize), next: decodeToken(next) };
    },
    cut(ids, { after, size }, next, target) {
      if (size === undefined) return { isShown: () => true, nextLink: undefined };
      const left = [...new Set(ids)].filter((id) => after === undefined || id > after).toSorted(byCodeUnits);
      const rest = pageOf(left);
      const last = left[size - 1];
      if (last === undefined || left.length === size) return rest;
      const position = `${size}.${encodeToken(last)}.${encodeToken(next)}`;
      const { rest: path } = withoutToken(target, SKIP_TOKEN);
      const nextTarget = withOption(path, '$skiptoken', `${position}.${signature.of(position, path)}`);
      return nextTarget.length > longest
        ? rest
        : { ...pageOf(left.slice(0, size)), nextLink: root + nextTarget };
    },
  };
}

const DELTA_PAGE_TOKEN = /^((\d{1,9})\.([\w-]+)\.([\w-]+))\.([\w-]{22})$/;

function pageOf(ids: readonly string[]): CutDelta {
  const shown = new Set(ids);
  return { isShown: (id) => shown.has(id), nextLink: undefined };
}

/** Compares texts as `>` does. */
function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Delta links (Part 1, 11.3): their tokens hold the upstream's, signed together with the URL that they belong to. */
export interface DeltaTokens {
  /** The URL of the changes since that state of what the target is a read of. */
  linkSince(target: string, state: string): string;
  /** The state that a delta link is about; a token that is not ours, or another URL's, is a BadRequest. */
  stateOf(target: string): string;
}

export function createDeltaTokens({ key, root }: Omit<LinkOptions, 'longest'>): DeltaTokens {
  const signature = tokenSignature(key, 'changes since ');
  return {
    linkSince(target, state) {
      const { rest } = splitPageTarget(target);
      const encoded = encodeToken(state);
      return root + withOption(rest, '$deltatoken', `${encoded}.${signature.of(encoded, rest)}`);
    },
    stateOf(target) {
      const { rest, token = '' } = splitPageTarget(target);
      const [, encoded = '', signed = ''] = DELTA_LINK_TOKEN.exec(token) ?? [];
      if (!signature.isOf(encoded, rest, signed)) throw unknownToken();
      return decodeToken(encoded);
    },
  };
}

const DELTA_LINK_TOKEN = /^([\w-]+)\.([\w-]{22})$/;

/** A page of the changes has the state of the whole. */
function splitPageTarget(target: string) {
  return withoutToken(withoutToken(target, SKIP_TOKEN).rest, DELTA_TOKEN);
}

function unknownToken(): GatewayError {
  const message = '$deltatoken: expected the one of a delta link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$deltatoken' });
}
