import { BlockList, isIP } from 'node:net';

/** Returns true for an address that is in a list or in one of its networks, and false for other texts. */
export type NetworkCheck = (address: string) => boolean;

/**
 * Creates the check for a list such as `10.0.0.0/8` and `::1`. IPv4-mapped IPv6 addresses match IPv4 entries
 * (RFC 4291, 2.5.5.2).
 */
export function withinNetworks(networks: readonly string[]): NetworkCheck {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
