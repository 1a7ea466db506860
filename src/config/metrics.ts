import { isNetwork } from './access.ts';
import { readList, type Variables } from './variables.ts';

/** This machine alone. */
export const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Addresses and networks from which `/metrics` may be read; undefined where nobody may. */
export function readMetricsReaders(variables: Variables): readonly string[] | undefined {
  const text = variables.get('METRICS');
  if (text === 'off') return undefined;
  if (text === undefined) return LOOPBACK;
  return readList(variables, 'METRICS', 'off, or IP addresses or networks such as 10.0.0.0/8', isNetwork);
}
