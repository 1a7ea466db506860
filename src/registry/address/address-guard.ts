import { lookup as lookUpName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { buildConnector } from 'undici';
import { type HostList, hostOf, plainHost } from './host-list.ts';
import { isPublicAddress } from './public-address.ts';

/** Keeps calls that somebody else has asked for out of the operator's network. */
export interface AddressGuard {
  /** Why the URL is not called, as a sentence; undefined where it may be, also while its name is unknown. */
  whyNot(url: string): Promise<string | undefined>;
  /**
   * Makes connections, to public addresses only unless the host is named in the operator's list. It looks at
   * the address that is connected to: a name may lead elsewhere than it did a moment ago.
   */
  connector(timeout: number, tls?: SecureContextOptions): buildConnector.connector;
}

export interface AddressGuardOptions {
  readonly hosts: HostList;
  /** Resolves names: the system's, unless a test has others. */
  readonly lookup?: LookupFunction;
}

/** A name that is not resolved within this time is looked at when it is called. */
const PATIENCE_MS = 1_000;

export function createAddressGuard({ hosts, lookup = lookUpName }: AddressGuardOptions): AddressGuard {
  return {
    async whyNot(url) {
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
    host === address ? `${host} is no address` : `${host} leads to ${address}, which is no address`;
  return `${leads} of the Internet: it is called only where the operator names ${host} in REGISTRY_HOSTS`;
}
