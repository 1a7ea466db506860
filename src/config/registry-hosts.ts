import { isIPv6 } from 'node:net';
import { readList, type Variables } from './variables.ts';

const PATTERN = /^\*\.(?=.)/;

/**
 * The hosts that documents may be fetched from, and that registered APIs may have in the operator's own network;
 * as URLs write them, without brackets. `*.example.com` stands for all below it, as far as they are public.
 */
export function readRegistryHosts(variables: Variables): readonly string[] {
  const expected = 'host names, IP addresses or patterns such as *.example.com';
  return readList(variables, 'REGISTRY_HOSTS', expected, (text) => hostIn(text) !== undefined).map(
    (text) => hostIn(text) ?? text,
  );
}

function hostIn(text: string): string | undefined {
  const [pattern = ''] = PATTERN.exec(text) ?? [];
  const host = text.slice(pattern.length);
  if (!isIPv6(host) && !/^\[[\da-f:.]+\]$/i.test(host) && !/^[\w.-]+$/.test(host)) return undefined;
  const url = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`);
  return url === null ? undefined : pattern + url.hostname.replace(/^\[|\]$/g, '');
}
