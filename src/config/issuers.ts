import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Secret } from '../core/secret.ts';
import { readList, readText, type Variables } from './variables.ts';

/** Somebody else whose tokens are taken, and who signs people in (OpenID Connect Discovery 1.0). */
export interface IssuerConfig {
  /** Its URL, as its tokens name it. */
  readonly issuer: string;
  /** What its tokens must be meant for; where there is nothing, none are taken. */
  readonly audiences: readonly string[];
  /** The claim that holds the roles, or the path to it. */
  readonly roleClaim: string;
  /** Its roles to ours; undefined where they have the same names. */
  readonly roles: ReadonlyMap<string, string> | undefined;
  /** What people sign in by; undefined where they do not. */
  readonly client: IssuerClientConfig | undefined;
}

/** The client that the gateway is to an issuer. */
interface IssuerClientConfig {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: Secret | undefined;
  /** What people know the issuer by. */
  readonly name: string;
  /** What stands for the issuer in paths, such as `login.example.com-realms-a`. */
  readonly path: string;
  /** Whether an e-mail address that it has verified is that of the account here. */
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

/** Keys that come over http anybody on the way could have replaced; on this machine there is no way. */
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

/** Reads lists that say something of each issuer, in their order; `-` stands for nothing. */
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

/** The text of a file without the line breaks at its end; empty where it cannot be read. */
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

/** The host and the path, in signs that mean nothing in a URL. */
function pathOf(issuer: string): string {
  if (!URL.canParse(issuer)) return issuer;
  const { host, pathname } = new URL(issuer);
  return `${host}${pathname}`.replace(/\/+$/, '').replaceAll(/[^\w.-]+/g, '-');
}
