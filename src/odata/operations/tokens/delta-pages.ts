import { GatewayError } from '../../../contract/gateway-error.ts';
import { tokenSignature } from '../../../contract/token-signature.ts';
import {
  DELTA_TOKEN,
  decodeToken,
  encodeToken,
  SKIP_TOKEN,
  unknownSkipToken,
  withOption,
  withoutToken,
} from './paging.ts';

/** Which part of the changes since a state a request is for. */
export interface DeltaPage {
  /** The id of the last entity on the page before; undefined on the first. */
  readonly after: string | undefined;
  /** Undefined where neither the client nor the model wants pages. */
  readonly size: number | undefined;
  /** The state that the delta link on the last page will be about, as it was read with the first. */
  readonly next: string | undefined;
}

/** What is shown of the changes, and the URL of the rest, relative to the service root. */
export interface CutDelta {
  /** Whether what has that id is on the page. */
  readonly isShown: (id: string) => boolean;
  readonly nextTarget: string | undefined;
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

/** `key` must be the same wherever a token may come back to; no next link is longer than `longest`. */
export function createDeltaPages(key: string | Uint8Array, longest: number): DeltaPages {
  const signature = tokenSignature(key, 'changes after ');
  return {
    pageOf(target, size) {
      const { rest, token } = withoutToken(target, SKIP_TOKEN);
      if (token === undefined) return { after: undefined, size, next: undefined };
      const [, position = '', tokenSize, after = '', next = '', signed = ''] = TOKEN.exec(token) ?? [];
      if (!signature.isOf(position, rest, signed)) throw unknownSkipToken();
      return { after: decodeToken(after), size: Number(tokenSize), next: decodeToken(next) };
    },
    cut(ids, { after, size }, next, target) {
      if (size === undefined) return { isShown: () => true, nextTarget: undefined };
      const left = [...new Set(ids)].filter((id) => after === undefined || id > after).toSorted(byCodeUnits);
      const rest = pageOf(left);
      const last = left[size - 1];
      if (last === undefined || left.length === size) return rest;
      const position = `${size}.${encodeToken(last)}.${encodeToken(next)}`;
      const { rest: path } = withoutToken(target, SKIP_TOKEN);
      const nextTarget = withOption(path, '$skiptoken', `${position}.${signature.of(position, path)}`);
      return nextTarget.length > longest ? rest : { ...pageOf(left.slice(0, size)), nextTarget };
    },
  };
}

const TOKEN = /^((\d{1,9})\.([\w-]+)\.([\w-]+))\.([\w-]{22})$/;

function pageOf(ids: readonly string[]): CutDelta {
  const shown = new Set(ids);
  return { isShown: (id) => shown.has(id), nextTarget: undefined };
}

/** Compares texts as `>` does. */
function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Delta links (Part 1, 11.3): their tokens hold the upstream's, signed together with the URL that they belong to. */
export interface DeltaTokens {
  /** The target of the changes since that state of what the target is a read of. */
  targetSince(target: string, state: string): string;
  /** The state that a delta link is about; a token that is not ours, or another URL's, is a BadRequest. */
  stateOf(target: string): string;
}

/** `key` must be the same wherever a token may come back to. */
export function createDeltaTokens(key: string | Uint8Array): DeltaTokens {
  const signature = tokenSignature(key, 'changes since ');
  return {
    targetSince(target, state) {
      const { rest } = splitTarget(target);
      const encoded = encodeToken(state);
      return withOption(rest, '$deltatoken', `${encoded}.${signature.of(encoded, rest)}`);
    },
    stateOf(target) {
      const { rest, token = '' } = splitTarget(target);
      const [, encoded = '', signed = ''] = DELTA_LINK_TOKEN.exec(token) ?? [];
      if (!signature.isOf(encoded, rest, signed)) throw unknownToken();
      return decodeToken(encoded);
    },
  };
}

const DELTA_LINK_TOKEN = /^([\w-]+)\.([\w-]{22})$/;

/** A page of the changes has the state of the whole. */
function splitTarget(target: string) {
  return withoutToken(withoutToken(target, SKIP_TOKEN).rest, DELTA_TOKEN);
}

function unknownToken(): GatewayError {
  const message = '$deltatoken: expected the one of a delta link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$deltatoken' });
}
