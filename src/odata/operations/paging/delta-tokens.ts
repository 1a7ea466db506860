import { createHmac, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { DELTA_TOKEN, SKIP_TOKEN, withOption, withoutToken } from './token-target.ts';

/**
 * Delta links (Part 1, 11.3): their tokens hold the upstream's, signed together with the URL that they belong to, so
 * that nobody takes them for something to make up.
 */
export interface DeltaTokens {
  /** The target of the changes since that state of what the target is a read of. */
  targetSince(target: string, state: string): string;
  /** The state that a delta link is about; a token that is not ours, or another URL's, is a BadRequest. */
  stateOf(target: string): string;
}

/** `key` must be the same wherever a token may come back to. */
export function createDeltaTokens(key: string | Uint8Array): DeltaTokens {
  const sign = (state: string, rest: string): Buffer =>
    createHmac('sha256', key).update(`changes since ${state} ${rest}`).digest().subarray(0, SIGNATURE_BYTES);
  return {
    targetSince(target, state) {
      const { rest } = withoutToken(withoutToken(target, SKIP_TOKEN).rest, DELTA_TOKEN);
      const encoded = Buffer.from(state).toString('base64url');
      return withOption(rest, '$deltatoken', `${encoded}.${sign(encoded, rest).toString('base64url')}`);
    },
    stateOf(target) {
      const { rest, token = '' } = withoutToken(target, DELTA_TOKEN);
      const [, encoded = '', signature = ''] = TOKEN.exec(token) ?? [];
      const [given, expected] = [Buffer.from(signature, 'base64url'), sign(encoded, rest)];
      const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
      if (!isOurs) throw unknownToken();
      return Buffer.from(encoded, 'base64url').toString();
    },
  };
}

const SIGNATURE_BYTES = 16;
const TOKEN = /^([\w-]+)\.([\w-]{22})$/;

function unknownToken(): GatewayError {
  const message = '$deltatoken: expected the one of a delta link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$deltatoken' });
}
