import { isIP, isIPv6, SocketAddress } from 'node:net';
import { withinNetworks } from '../../core/networks.ts';

/** Returns the address of the client. */
export type AddressOf = (request: {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}) => string;

/**
 * The socket's address, or, behind trusted proxies, the last address in X-Forwarded-For that is not a proxy.
 * Clients can forge the addresses before that one.
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

/** An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * The canonical form of an address: RFC 5952 for IPv6, and plain IPv4 for IPv4-mapped addresses, as sockets
 * for both protocols report them. Other texts are returned unchanged.
 */
function plainAddress(text: string): string {
  const [address = ''] = text.split('%', 1);
  if (!isIPv6(address)) return text;
  const plain = new SocketAddress({ family: 'ipv6', address }).address;
  return MAPPED.exec(plain)?.[1] ?? plain;
}

/**
 * The network of an address: for IPv6 its /64, because a client can use every address in it; for IPv4 the
 * address itself.
 */
export function networkOf(text: string): string {
  const address = plainAddress(text);
  if (!isIPv6(address)) return address;
  const [front = [], back = []] = address.split('::').map(readGroups);
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0);
  const [a = 0, b = 0, c = 0, d = 0] = [...front, ...zeros, ...back];
  return `${[a, b, c, d].map((group) => group.toString(16)).join(':')}::/64`;
}

function readGroups(text: string): readonly number[] {
  // The last two groups may be written as an IPv4 address.
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (tail !== null) {
    const [, a = 0, b = 0, c = 0, d = 0] = tail.map(Number);
    const rest = readGroups(text.slice(0, tail.index).replace(/:$/, ''));
    return [...rest, a * 256 + b, c * 256 + d];
  }
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
