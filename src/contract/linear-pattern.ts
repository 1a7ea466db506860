import { setFlagsFromString } from 'node:v8';

/** A regular expression that never backtracks. */
export interface LinearPattern {
  /** Whether it is found in the text. */
  test(text: string): boolean;
}

/** Classes by property need a mode of expressions that the linear engine does not have. */
const UNICODE_ONLY = /\\p\{|\\u\{/i;

/**
 * A regular expression that runs on V8's linear engine (flag `l`): what others have written may not take exponential
 * time. Undefined where it needs backtracking, or is malformed.
 */
export function linearPattern(pattern: string, flags: string): LinearPattern | undefined {
  if (UNICODE_ONLY.test(pattern)) return undefined;
  // The flag only makes V8 accept `l`: no other expression of the process changes.
  setFlagsFromString('--enable-experimental-regexp-engine');
  try {
    return new RegExp(pattern, `${flags}l`);
  } catch {
    return undefined;
  }
}
