const LEAST = 1;
const MOST = 5;

/** In how many seconds a client should ask again: not all at the same time. */
export function retryAfter(): string {
  return String(LEAST + Math.floor(Math.random() * (MOST - LEAST + 1)));
}
