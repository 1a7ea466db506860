import { lookup as lookUpName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { buildConnector } from 'undici';
import { withinNetworks } from '../../core/networks.ts';

/** Keeps registered APIs from calling hosts in the operator's network. */
export interface AddressGuard {
  /**
   * The reason why the URL must not be called, as a sentence; undefined if it may be, or if its name cannot
   * be resolved yet.
   */
  refusalOf(url: string): Promise<string | undefined>;
  /**
   * Connects only to public addresses, unless the operator lists the host. Checks the address of the
   * connection itself, because a name may resolve differently at any time.
   */
  connector(timeout: number, tls?: SecureContextOptions): buildConnector.connector;
}

interface AddressGuardOptions {
  readonly hosts: HostList;
  /** Resolves names; the system's resolver by default. */
  readonly lookup?: LookupFunction;
}

/** Names that are not resolved within this time are checked when they are called. */
const PATIENCE_MS = 1_000;

export function createAddressGuard({ hosts, lookup = lookUpName }: AddressGuardOptions): AddressGuard {
  return {
    async refusalOf(url) {
      const host = hostOf(url);
      if (hosts(host) === 'named') return undefined;
      const inner = (await addressesOf(host, lookup)).find((address) => !isPublicAddress(address));
      return inner === undefined ? undefined : refusal(host, inner);
    },
    connector(timeout, tls = {}) {
      const anywhere = buildConnector({ ...tls, timeout });
      const outside = buildConnector({ ...tls, timeout, lookup: publicOnly(lookup) });
      return (options, callback) => {
        const host = plainHost(options.hostname);
        if (hosts(host) === 'named') anywhere(options, callback);
        // Addresses are not resolved, so they are checked here.
        else if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new Error(refusal(host, host)), null);
        else outside(options, callback);
      };
    },
  };
}

async function addressesOf(host: string, lookup: LookupFunction): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const found = promisify<string, object, unknown>(lookup)(host, { all: true }).catch(() => []);
  const addresses = await Promise.race([found, sleep(PATIENCE_MS, [], { ref: false })]);
  return Array.isArray(addresses) ? addresses.map(({ address }) => String(address)) : [];
}

/** Resolves a name, and fails if one of its addresses is not public. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      const inner = addresses.find(({ address }) => !isPublicAddress(address));
      if (error !== null) callback(error, '', 4);
      else if (inner !== undefined) callback(new Error(refusal(host, inner.address)), '', 4);
      else if (options.all) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}

function refusal(host: string, address: string): string {
  const leads =
    host === address ? `${host} is not an address` : `${host} leads to ${address}, which is not an address`;
  return `${leads} of the Internet: it is called only where the operator names ${host} in REGISTRY_HOSTS`;
}

/** The result of looking up a host in the operator's list. */
type Allowance =
  /** The host itself is listed: any address is allowed, including the operator's network. */
  | 'named'
  /** A pattern such as `*.example.com` matches: public addresses are allowed. */
  | 'fitting'
  | 'none';

/** Looks up a host in REGISTRY_HOSTS. */
export type HostList = (host: string) => Allowance;

/** Entries have the form of {@link hostOf}; patterns begin with `*.`. */
export function createHostList(hosts: readonly string[]): HostList {
  const named = new Set(hosts.filter((host) => !host.startsWith('*.')));
  const endings = hosts.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  return (host) => {
    if (named.has(host)) return 'named';
    return endings.some((ending) => host.endsWith(ending)) ? 'fitting' : 'none';
  };
}

/** The host of a URL: in lower case, addresses in canonical form and without brackets. */
export function hostOf(url: string): string {
  return plainHost(new URL(url).hostname);
}

/** A host without brackets and without a trailing dot. */
function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Special-purpose networks (RFC 6890), including IPv6 forms of IPv4 addresses. */
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

/** Global unicast addresses (RFC 4291, 2.4). */
const isGlobal = withinNetworks(['2000::/3']);

const isMapped = withinNetworks(['::ffff:0:0/96']);

/** Whether an IP address, without brackets, is public. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !isSpecial(address);
  if (version !== 6 || address.includes('%') || isSpecial(address)) return false;
  // IPv4-mapped addresses were compared with the IPv4 networks above.
  return isGlobal(address) || isMapped(address);
}
