import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Arguments } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { inOneForm, tokenSignature } from '../../../core/token-signature.ts';
import type { PageRange } from '../../../engine/read/prepare-query.ts';

/** The page of a collection in a response. */
export interface PageOfAnswer extends PageRange {
  /** The state token before the first page, if changes are tracked. */
  readonly tracked?: string | undefined;
}

/** The rows of a page, and the URL of the next. */
export interface CutPage<Item> {
  readonly rows: readonly Item[];
  readonly nextLink: string | undefined;
}

/**
 * Server-driven paging (Part 1, 11.2.6.7) with tokens for the start of the next page. Tokens are signed
 * together with their URL, so that clients cannot forge them.
 */
export interface Paging {
  /**
   * The page of a request: that of its token, with the same page size, or the first page. Throws BadRequest
   * for a forged token or one of another URL.
   */
  pageOf(target: string, size: number | undefined): PageOfAnswer;
  cut<Item>(rows: readonly Item[], page: PageOfAnswer, target: string): CutPage<Item>;
  /**
   * The URL of a page that starts at a position in the upstream's list, encrypted; undefined if it would be
   * too long.
   */
  onward(target: string, page: PageOfAnswer): string | undefined;
}

/** The options of links. */
export interface LinkOptions {
  /** The signing key, shared by all instances that may receive the token. */
  readonly key: string | Uint8Array;
  /** The public URL of the service root, without a trailing slash. */
  readonly root: string;
  /** Maximum length of a target below the root. */
  readonly longest: number;
}

/**
 * A query from a body may be longer than a URL: if its next link would be too long, the response contains all
 * the rest.
 */
export function createPaging({ key, root, longest }: LinkOptions): Paging {
  const signature = tokenSignature(key, '');
  const sealed = sealedPositions(key);
  return {
    pageOf(target, size) {
      const { rest, token } = splitTarget(target);
      if (token === undefined) return { offset: 0, size };
      if (token.startsWith(SEALED)) {
        const opened = sealed.open(token.slice(SEALED.length), rest);
        if (opened === undefined) throw unknownSkipToken();
        const [before, own, from, plan, planned] = JSON.parse(opened, readInteger) as SealedParts;
        return { offset: before, size: own ?? undefined, from, plan, planned };
      }
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
    onward(target, { offset, size, from, plan, planned }) {
      const { rest } = splitTarget(target);
      const parts = [offset, size ?? null, from, plan, ...(planned === undefined ? [] : [planned])];
      const token = sealed.seal(JSON.stringify(parts, writeInteger), rest);
      const nextTarget = withOption(rest, '$skiptoken', `${SEALED}${token}`);
      return nextTarget.length > longest ? undefined : root + nextTarget;
    },
  };
}

/** The prefix of tokens with an encrypted upstream position. */
const SEALED = '~';

/** A {@link PageOfAnswer} with such a position. */
type SealedParts = readonly [number, number | null, string | undefined, string | undefined, Arguments?];

/** The only member of an object that represents an integer beyond those of JavaScript's numbers; no parameter has this name. */
const INTEGER = '#';

const writeInteger = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { [INTEGER]: String(value) } : value;

const readInteger = (_: string, value: unknown): unknown => {
  const isInteger = typeof value === 'object' && value !== null && Object.keys(value).join() === INTEGER;
  return isInteger ? BigInt((value as { readonly [INTEGER]: string })[INTEGER]) : value;
};

const TOKEN = /^((\d{1,15})-(\d{1,9})(?:\.([\w-]+))?)-([\w-]{22})$/;

function splitTarget(target: string): TokenTarget {
  return withoutToken(target, SKIP_TOKEN);
}

function unknownSkipToken(): GatewayError {
  const message = '$skiptoken: expected the one of a next link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$skiptoken' });
}

/** The error for a token of an outdated plan. */
export function outdatedSkipToken(): GatewayError {
  const message =
    '$skiptoken: the service reads this list in another way by now; read it from its beginning.';
  return new GatewayError('Gone', message, { target: '$skiptoken' });
}

/** Encrypts tokens, because an upstream position may be the upstream's URL. */
interface SealedPositions {
  /** Returns base64url. */
  seal(said: string, target: string): string;
  /** Undefined if this service did not encrypt it for that target. */
  open(sealed: string, target: string): string | undefined;
}

/** AES in Galois/Counter Mode (NIST SP 800-38D). */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key` must be the same on all instances that may receive the token. */
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

interface TokenTarget {
  readonly rest: string;
  readonly token: string | undefined;
}

const SKIP_TOKEN = /^(?:\$|%24)?skiptoken=/i;
const DELTA_TOKEN = /^(?:\$|%24)?deltatoken=/i;

/** `option` matches the start of the query option with the token. */
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

/** Encodes a token for a URL. */
function encodeToken(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decodeToken(token: string): string {
  return Buffer.from(token, 'base64url').toString();
}

/** A page of the changes since a state. */
interface DeltaPage {
  /** The id of the last entity on the previous page; undefined on the first page. */
  readonly after: string | undefined;
  /** Undefined without paging. */
  readonly size: number | undefined;
  /** The state for the delta link on the last page, as read with the first page. */
  readonly next: string | undefined;
}

/** The changes on a page, and the URL of the next. */
interface CutDelta {
  /** Whether the entity with this id is on the page. */
  readonly isShown: (id: string) => boolean;
  readonly nextLink: string | undefined;
}

/**
 * Pages of changes (Part 1, 11.3 and 11.2.6.7), in the order of the entities' ids. Each page reads the
 * changes again, which may have grown, so no change is lost.
 */
export interface DeltaPages {
  /** Throws BadRequest for a forged token or one of another URL. */
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

/** Compares like `>`. */
function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Delta links (Part 1, 11.3), whose tokens contain those of the upstream, signed together with their URL. */
export interface DeltaTokens {
  /** The delta link of a read since a state. */
  linkSince(target: string, state: string): string;
  /** The state of a delta link. Throws BadRequest for a forged token or one of another URL. */
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

/** Drops `$skiptoken`: all pages of a delta response share one state. */
function splitPageTarget(target: string) {
  return withoutToken(withoutToken(target, SKIP_TOKEN).rest, DELTA_TOKEN);
}

function unknownToken(): GatewayError {
  const message = '$deltatoken: expected the one of a delta link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$deltatoken' });
}
