import { GatewayError } from '../../../contract/gateway-error.ts';
import { tokenSignature } from '../../../contract/token-signature.ts';
import {
  DELTA_TOKEN,
  decodeToken,
  encodeToken,
  SKIP_TOKEN,
  withOption,
  withoutToken,
} from './token-target.ts';

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
      const [, encoded = '', signed = ''] = TOKEN.exec(token) ?? [];
      if (!signature.isOf(encoded, rest, signed)) throw unknownToken();
      return decodeToken(encoded);
    },
  };
}

const TOKEN = /^([\w-]+)\.([\w-]{22})$/;

/** A page of the changes has the state of the whole. */
function splitTarget(target: string) {
  return withoutToken(withoutToken(target, SKIP_TOKEN).rest, DELTA_TOKEN);
}

function unknownToken(): GatewayError {
  const message = '$deltatoken: expected the one of a delta link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$deltatoken' });
}
