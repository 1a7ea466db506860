/** How the operator's list stands to a host. */
export type Allowance =
  /** It is named itself: it may be anywhere, also in the operator's network. */
  | 'named'
  /** A pattern such as `*.example.com` fits it: it may be anywhere in the Internet. */
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
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
