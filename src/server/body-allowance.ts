import type { ServerResponse } from 'node:http';
import { clientClosed, GatewayError } from '../contract/gateway-error.ts';
import type { Principal } from '../contract/principal.ts';
import { retryAfter } from '../contract/retry-after.ts';
import { atClose } from './at-close.ts';

/** What strangers may have of it: those who have signed in are not to wait for them. */
const STRANGERS_SHARE = 0.25;

/** Charges what comes of one body, and fails with Overloaded where there is no more room. */
export type TakeRoom = (bytes: number) => void;

/** How many bytes of bodies the process holds at once, whoever sends them and however many there are. */
export class BodyAllowance {
  readonly #limit: number;
  #held = 0;
  #heldForStrangers = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Room for one body, until it is answered. */
  forRequest(response: ServerResponse, { kind }: Principal): TakeRoom {
    const isStranger = kind === 'anonymous';
    let taken = 0;
    const add = (bytes: number): void => {
      taken += bytes;
      this.#held += bytes;
      if (isStranger) this.#heldForStrangers += bytes;
    };
    atClose(response, () => add(-taken));
    return (bytes) => {
      if (response.destroyed) throw clientClosed();
      if (!this.#hasRoom(bytes, isStranger)) throw noRoom();
      add(bytes);
    };
  }

  #hasRoom(bytes: number, isStranger: boolean): boolean {
    const isFull = this.#held + bytes > this.#limit;
    return !isFull && !(isStranger && this.#heldForStrangers + bytes > this.#limit * STRANGERS_SHARE);
  }
}

function noRoom(): GatewayError {
  return new GatewayError(
    'Overloaded',
    'The gateway has too many bodies to read: ask again later (BODIES_MIB).',
    {
      headers: { 'retry-after': retryAfter() },
    },
  );
}
