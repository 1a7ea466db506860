import { setFlagsFromString } from 'node:v8';

/**
 * A regular expression that runs on V8's linear engine (flag `l`), which never backtracks: what others have written may
 * not take exponential time. Undefined where it is malformed, or needs backtracking.
 */
export function linearExpression(pattern: string, flags = ''): RegExp | undefined {
  // The flag only makes V8 accept `l`: no other expression of the process changes.
  setFlagsFromString('--enable-experimental-regexp-engine');
  try {
    return new RegExp(pattern, `${flags}l`);
  } catch {
    return undefined;
  }
}
