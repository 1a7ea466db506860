import { isIP, isIPv6, SocketAddress } from 'node:net';
import { withinNetworks } from '../../core/networks.ts';

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

/** An IPv4 address in the form of IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * The one form of an address that has many: an IPv6 address in that of RFC 5952, and an IPv4 address by itself, also
 * where a socket that takes both writes it as one of IPv6. What is not an address stays as it is.
 */
function plainAddress(text: string): string {
  const [address = ''] = text.split('%', 1);
  if (!isIPv6(address)) return text;
  const plain = new SocketAddress({ family: 'ipv6', address }).address;
  return MAPPED.exec(plain)?.[1] ?? plain;
}

/**
 * The network that an address counts for: of IPv6 the one of 64 bits, because who has one address there has all of
 * it; of IPv4 the address itself.
 */
export function networkOf(text: string): string {
  const address = plainAddress(text);
  if (!isIPv6(address)) return address;
  const [a = 0, b = 0, c = 0, d = 0] = groupsOf(address);
  return `${[a, b, c, d].map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight numbers that an address of IPv6 is made of. */
function groupsOf(address: string): readonly number[] {
  const [front = [], back = []] = address.split('::').map(readGroups);
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0);
  return [...front, ...zeros, ...back];
}

function readGroups(text: string): readonly number[] {
  // The last two may stand in the form of IPv4.
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (tail !== null) {
    const [, a = 0, b = 0, c = 0, d = 0] = tail.map(Number);
    const rest = readGroups(text.slice(0, tail.index).replace(/:$/, ''));
    return [...rest, a * 256 + b, c * 256 + d];
  }
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
