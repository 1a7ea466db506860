import { BlockList, isIP } from 'node:net';

/** Whether an address is one of a list, or in one of its networks. What is not an address is in none. */
export type NetworkCheck = (address: string) => boolean;

/**
 * The check against a list of addresses and networks, such as `10.0.0.0/8` and `::1`. An IPv4 address is found in
 * the form of IPv6, too (RFC 4291, 2.5.5.2).
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
