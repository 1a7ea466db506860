import type { ServerResponse } from 'node:http';

/** Requests that are begun before the event loop goes round. */
const AT_A_STRETCH = 32;

/** Begins a request, now or soon. */
export type StartRequest = (response: ServerResponse, begin: () => void) => void;

/**
 * Begins some requests before the event loop goes round and the others after it, in the order in which they came.
 *
 * Thousands that come in one turn would otherwise all be begun before the first of them is answered: what is made for them
 * lives so long that collecting it takes as much time as the answers.
 */
export function requestStarts(): StartRequest {
  const waiting: { readonly response: ServerResponse; readonly begin: () => void }[] = [];
  let begun = 0;
  const goOn = (): void => {
    begun = 0;
    for (const { response, begin } of waiting.splice(0, AT_A_STRETCH)) {
      if (response.destroyed) continue;
      begun += 1;
      begin();
    }
    if (begun > 0 || waiting.length > 0) setImmediate(goOn);
  };
  return (response, begin) => {
    if (begun === 0 && waiting.length === 0) setImmediate(goOn);
    if (begun >= AT_A_STRETCH || waiting.length > 0) waiting.push({ response, begin });
    else {
      begun += 1;
      begin();
    }
  };
}
