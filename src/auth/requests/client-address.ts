import { isIP } from 'node:net';
import { withinNetworks } from '../../contract/networks.ts';
import { plainAddress } from './ip-address.ts';

/** Finds the address that a request comes from. */
export type AddressOf = (request: {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}) => string;

/**
 * The socket's address, or what the trusted proxies say of it: the last address in X-Forwarded-For that is
 * none of theirs. What is in front of that one, anybody may have written.
 *
 * @param trustedProxies addresses and networks in CIDR notation
 */
export function clientAddressOf(trustedProxies: readonly string[]): AddressOf {
  const isTrusted = withinNetworks(trustedProxies);
  return ({ socket, headers }) => {
    const nearest = plainAddress(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (typeof forwarded !== 'string' || !isTrusted(nearest)) return nearest;
    const hops = forwarded.split(',').map((hop) => plainAddress(hop.trim()));
    const client = hops.findLast((hop) => !isTrusted(hop));
    return client !== undefined && isIP(client) !== 0 ? client : nearest;
  };
}
