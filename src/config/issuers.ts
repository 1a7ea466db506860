import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Secret } from '../core/secret.ts';
import { readList, readText, type Variables } from './variables.ts';

/**
 * An OpenID Connect issuer whose tokens are accepted and with which users sign in (OpenID Connect Discovery
 * 1.0).
 */
export interface IssuerConfig {
  /** The URL of the issuer, as in its tokens. */
  readonly issuer: string;
  /** Accepted audiences of its tokens; empty if no tokens are accepted. */
  readonly audiences: readonly string[];
  /** The claim that holds the roles, or the path to it. */
  readonly roleClaim: string;
  /** The issuer's roles mapped to the gateway's; undefined if the names are the same. */
  readonly roles: ReadonlyMap<string, string> | undefined;
  /** The gateway's registration at the issuer; undefined if users do not sign in with it. */
  readonly client: IssuerClientConfig | undefined;
}

interface IssuerClientConfig {
  readonly id: string;
  readonly secret: Secret | undefined;
  /** The name shown to users. */
  readonly name: string;
  /** The segment that identifies the issuer in paths, such as `login.example.com-realms-a`. */
  readonly path: string;
  /** Whether to trust e-mail addresses that the issuer has verified. */
  readonly isEmailTrusted: boolean;
}

/** The issuers of OIDC_ISSUERS; the lists of their clients are in the same order. */
export function readIssuers(variables: Variables, workingDirectory: string): readonly IssuerConfig[] {
  const issuers = readList(variables, 'OIDC_ISSUERS', 'https URLs without credentials', isIssuer);
  const audiences = readList(variables, 'OIDC_AUDIENCE', 'names without spaces', (text) => !/\s/.test(text));
  const clients = readClients(variables, issuers, workingDirectory);
  if (audiences.length === 0 && issuers.some((_, index) => clients[index] === undefined)) {
    variables.reject('OIDC_AUDIENCE is missing: it says which tokens of OIDC_ISSUERS are accepted');
  }
  const roleClaim = readText(variables, 'OIDC_ROLE_CLAIM');
  const roles = readRoles(variables);
  return issuers.map((issuer, index) => ({ issuer, audiences, roleClaim, roles, client: clients[index] }));
}

/** Requires https except on this machine, because keys sent over http could be replaced on the way. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}

function readRoles(variables: Variables): ReadonlyMap<string, string> | undefined {
  const pairs = readList(variables, 'OIDC_ROLES', 'pairs such as editor=User', (text) =>
    /^[^=]+=[^=]+$/.test(text),
  );
  if (pairs.length === 0) return undefined;
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function readClients(
  variables: Variables,
  issuers: readonly string[],
  workingDirectory: string,
): readonly (IssuerClientConfig | undefined)[] {
  const inOrder = orderedList(variables, issuers);
  const ids = inOrder('OIDC_CLIENT_IDS', 'client ids without spaces', /^[\x21-\x7e]{1,255}$/);
  const names = inOrder('OIDC_NAMES', 'names of 1 to 60 printable characters', /^[^\p{C}]{1,60}$/u);
  const files = inOrder('OIDC_CLIENT_SECRET_FILES', 'paths of files', /^[^\0]+$/);
  const trusted = readList(variables, 'OIDC_TRUSTED_EMAIL', 'issuers of OIDC_ISSUERS', (text) =>
    issuers.includes(text),
  );
  const clients = issuers.map((issuer, index) => {
    const id = ids[index];
    if (id === undefined) return undefined;
    return {
      id,
      secret: readSecret(variables, files[index], { item: index + 1, workingDirectory }),
      name: names[index] ?? hostOf(issuer),
      path: pathOf(issuer),
      isEmailTrusted: trusted.includes(issuer),
    };
  });
  const paths = clients.flatMap((client) => client?.path ?? []);
  if (new Set(paths).size < paths.length) {
    variables.reject(
      'OIDC_ISSUERS must not name issuers twice, or by hosts and paths that are almost the same',
    );
  }
  return clients;
}

type OrderedName = 'OIDC_CLIENT_IDS' | 'OIDC_NAMES' | 'OIDC_CLIENT_SECRET_FILES';

/** Reads lists with one item per issuer, in their order; `-` is an empty item. */
function orderedList(variables: Variables, issuers: readonly string[]) {
  return (name: OrderedName, expected: string, accepts: RegExp): readonly (string | undefined)[] => {
    const items = readList(variables, name, expected, (text) => accepts.test(text));
    if (items.length > issuers.length) {
      variables.reject(
        `${name} must be in the order of OIDC_ISSUERS, and have no more items: expected at most ${issuers.length}, but found ${items.length}`,
      );
    }
    return items.map((item) => (item === '-' ? undefined : item));
  };
}

function readSecret(
  variables: Variables,
  file: string | undefined,
  { item, workingDirectory }: { readonly item: number; readonly workingDirectory: string },
): Secret | undefined {
  if (file === undefined) return undefined;
  const secret = textOf(resolve(workingDirectory, file));
  if (secret !== '') return new Secret(secret);
  variables.reject(
    `OIDC_CLIENT_SECRET_FILES must be readable files that are not empty, but item ${item} is not`,
  );
  return undefined;
}

/** The text of a file without trailing line breaks; empty if the file cannot be read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
  } catch {
    return '';
  }
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}

/** The host and the path, in unreserved characters. */
function pathOf(issuer: string): string {
  if (!URL.canParse(issuer)) return issuer;
  const { host, pathname } = new URL(issuer);
  return `${host}${pathname}`.replace(/\/+$/, '').replaceAll(/[^\w.-]+/g, '-');
}
