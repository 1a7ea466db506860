import { isIP } from 'node:net';
import { withinNetworks } from '../../contract/networks.ts';

/** Networks that no public address is in (RFC 6890), also those that stand for IPv4 addresses in IPv6. */
const isSpecial = withinNetworks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

/** What is delegated to be used in the Internet (RFC 4291, 2.4). */
const isGlobal = withinNetworks(['2000::/3']);

const isMapped = withinNetworks(['::ffff:0:0/96']);

/** Whether an IP address, without brackets, is one of the Internet and not of somebody's own network. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !isSpecial(address);
  if (version !== 6 || address.includes('%') || isSpecial(address)) return false;
  // An IPv4 address in the form of IPv6 has been held against the networks of IPv4.
  return isGlobal(address) || isMapped(address);
}
