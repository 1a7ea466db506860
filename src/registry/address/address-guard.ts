import { lookup as lookUpName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { buildConnector } from 'undici';
import { withinNetworks } from '../../core/networks.ts';

/** Keeps calls that somebody else has asked for out of the operator's network. */
export interface AddressGuard {
  /** Why the URL is not called, as a sentence; undefined where it may be, also while its name is unknown. */
  refusalOf(url: string): Promise<string | undefined>;
  /**
   * Makes connections, to public addresses only unless the host is named in the operator's list. It looks at
   * the address that is connected to: a name may lead elsewhere than it did a moment ago.
   */
  connector(timeout: number, tls?: SecureContextOptions): buildConnector.connector;
}

interface AddressGuardOptions {
  readonly hosts: HostList;
  /** Resolves names: the system's, unless a test has others. */
  readonly lookup?: LookupFunction;
}

/** A name that is not resolved within this time is looked at when it is called. */
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
        // Addresses are not looked up.
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

/** Looks a name up; one of several addresses that is not public is as good as all of them. */
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

/** How the operator's list stands to a host. */
type Allowance =
  /** The host is named itself: it may be anywhere, also in the operator's network. */
  | 'named'
  /** A pattern such as `*.example.com` fits the host: it may be anywhere in the Internet. */
  | 'fitting'
  | 'none';

/** The hosts of the setting REGISTRY_HOSTS. */
export type HostList = (host: string) => Allowance;

/** Names and addresses as {@link hostOf} writes them; those of patterns begin with `*.`. */
export function createHostList(hosts: readonly string[]): HostList {
  const named = new Set(hosts.filter((host) => !host.startsWith('*.')));
  const endings = hosts.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  return (host) => {
    if (named.has(host)) return 'named';
    return endings.some((ending) => host.endsWith(ending)) ? 'fitting' : 'none';
  };
}

/** The host of a URL: in lower case, addresses in their shortest form and without brackets. */
export function hostOf(url: string): string {
  return plainHost(new URL(url).hostname);
}

/** A host as URLs have it, without brackets and without the dot of the root. */
function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

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
