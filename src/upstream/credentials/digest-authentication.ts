import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SigningKey } from '../../contract/source-credential.ts';
import type { RequestSignature, UnsignedRequest } from '../exchange/request-signature.ts';

/** A challenge of the upstream (RFC 7616, 3.3). */
interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  /** As it is sent back. */
  readonly algorithm: string | undefined;
  readonly digest: (text: string) => string;
  readonly isSession: boolean;
  readonly isStale: boolean;
  readonly hasUserHash: boolean;
}

/** The supported algorithms (RFC 7616, 6.1), the strongest first, by their names in `node:crypto`. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['SHA-512-256', 'sha512-256'],
  ['SHA-256', 'sha256'],
  ['MD5', 'md5'],
]);

/** The digest authentication of one user: the challenge, and how often its nonce has been used. */
export class DigestAuthentication {
  readonly #key: SigningKey;
  #challenge: Challenge | undefined;
  #count = 0;
  /** One for each nonce of the API: keys of sessions depend on the first (RFC 7616, 3.4.2). */
  #clientNonce = '';

  constructor(key: SigningKey) {
    this.#key = key;
  }

  get isChallenged(): boolean {
    return this.#challenge !== undefined;
  }

  /**
   * Keeps the challenge of a response with status 401 for the requests that follow. Returns true if the rejected
   * request may be sent again: it had no credential yet, or the nonce was too old.
   */
  challenge(headers: IncomingHttpHeaders, hadCredential: boolean): boolean {
    const found = strongestChallenge(headers['www-authenticate']);
    if (found === undefined) return false;
    // The API may give one nonce to several requests at the same time; it counts their uses together.
    if (found.nonce !== this.#challenge?.nonce) {
      this.#count = 0;
      this.#clientNonce = randomBytes(16).toString('hex');
    }
    this.#challenge = found;
    return !hadCredential || found.isStale;
  }

  /** The credential for a request (RFC 7616, 3.4); none before the first challenge. */
  sign({ method, path }: Pick<UnsignedRequest, 'method' | 'path'>): RequestSignature {
    if (this.#challenge === undefined) return { headers: {} };
    const { realm, nonce, opaque, algorithm, digest, isSession, hasUserHash } = this.#challenge;
    const { id, secret } = this.#key;
    this.#count += 1;
    const count = this.#count.toString(16).padStart(8, '0');
    const clientNonce = this.#clientNonce;
    const user = digest(`${id}:${realm}:${secret.reveal()}`);
    const subject = isSession ? digest(`${user}:${nonce}:${clientNonce}`) : user;
    const response = digest(
      `${subject}:${nonce}:${count}:${clientNonce}:auth:${digest(`${method}:${path}`)}`,
    );
    const fields = [
      hasUserHash ? `username=${quoted(digest(`${id}:${realm}`))}` : userName(id),
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(path)}`,
      `response="${response}"`,
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      'qop=auth',
      `nc=${count}`,
      `cnonce="${clientNonce}"`,
      ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
      ...(hasUserHash ? ['userhash=true'] : []),
    ];
    return { headers: { authorization: `Digest ${fields.join(', ')}` } };
  }
}

/** A name that a quoted string cannot hold is sent in the form of RFC 8187. */
function userName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `username=${quoted(name)}`;
  const escaped = encodeURIComponent(name).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return `username*=UTF-8''${escaped}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Longer fields are not read, in characters. */
const LONGEST_FIELD = 8_192;

/** The strongest supported challenge of a `WWW-Authenticate` field, which may have several (RFC 9110, 11.6.1). */
function strongestChallenge(fields: string | readonly string[] = []): Challenge | undefined {
  const field = [fields].flat().join(', ');
  if (field.length > LONGEST_FIELD) return undefined;
  const challenges = parseChallenges(field).flatMap((parameters) => challengeOf(parameters) ?? []);
  const names = [...ALGORITHMS.keys()];
  const rank = ({ algorithm = 'MD5' }: Challenge): number => names.indexOf(baseAlgorithm(algorithm));
  return challenges.sort((one, other) => rank(one) - rank(other))[0];
}

function challengeOf(parameters: ReadonlyMap<string, string>): Challenge | undefined {
  const [realm, nonce, algorithm, opaque] = ['realm', 'nonce', 'algorithm', 'opaque'].map((name) =>
    parameters.get(name),
  );
  const digestName = ALGORITHMS.get(baseAlgorithm(algorithm ?? 'MD5'));
  const protections = (parameters.get('qop') ?? '').toLowerCase().split(/[\s,]+/);
  if (realm === undefined || nonce === undefined || digestName === undefined) return undefined;
  if (!protections.includes('auth') || !/^[\x20-\xff]*$/.test(realm + nonce + (opaque ?? '')))
    return undefined;
  return {
    realm,
    nonce,
    opaque,
    algorithm,
    digest: (text) => hash(digestName, text, 'hex'),
    isSession: /-sess$/i.test(algorithm ?? ''),
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
    hasUserHash: parameters.get('userhash')?.toLowerCase() === 'true',
  };
}

function baseAlgorithm(algorithm: string): string {
  return algorithm.toUpperCase().replace(/-SESS$/, '');
}

/** A scheme, or a parameter with a token or a quoted string (RFC 9110, 11.2), with the commas around it. */
const PART =
  /[\s,]*([!#$%&'*+\-.^_`|~\w]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+\-.^_`|~\w]+)))?/y;

/** The parameters of each challenge of the scheme `Digest`. */
function parseChallenges(field: string): readonly ReadonlyMap<string, string>[] {
  const found: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  PART.lastIndex = 0;
  for (let part = PART.exec(field); part !== null; part = PART.exec(field)) {
    const [, name = '', text, token] = part;
    const value = text?.replace(/\\(.)/g, '$1') ?? token;
    if (value !== undefined) current?.set(name.toLowerCase(), value);
    else {
      current = name.toLowerCase() === 'digest' ? new Map() : undefined;
      if (current !== undefined) found.push(current);
    }
  }
  return found;
}
