import { basename, dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import {
  CLIENT_AUTHENTICATIONS,
  type ClientCertificate,
  type OAuthClient,
  SECRET_ENCODINGS,
  SIGNED_PAYLOADS,
  type SigningKey,
  type SourceAccess,
  type SourceCredential,
  tlsOptions,
} from '../contract/source-credential.ts';
import { isObject } from '../core/json-object.ts';
import { plainServiceUrl, validateServiceUrl } from '../core/service-url.ts';
import {
  type Mistakes,
  type ProjectFiles,
  type Reader,
  type Section,
  SettingReader,
  validateHeader,
} from './project-reader.ts';
import { validateTokenUrl } from './project-source.ts';

/** The settings of one source in the file beside the project file. */
export interface ReadAccess {
  /** Undefined where it says nothing of it. */
  readonly access: SourceAccess | undefined;
  /** Sent with each call; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const NO_ACCESS: ReadAccess = { access: undefined, headers: {} };

/**
 * The file beside a project file that says how the gateway is let in by the upstreams: `credentials.yaml` beside
 * `.meshrc.yaml`, `library.credentials.yaml` beside `library.meshrc.yaml`.
 *
 * The project file is no place for it: Mesh says of a key that it does not know that the file is not valid.
 */
function accessFile(projectFile: string): string {
  const name = basename(projectFile)
    .replace(/\.(?:ya?ml|json)$/i, '')
    .replace(/\.?meshrc$/, '');
  return join(dirname(projectFile), `${name === '' ? '' : `${name}.`}credentials.yaml`);
}

/** Reads the file, where there is one, and of it what is about the sources that are asked for. */
export function sourceAccessReader(projectFile: string, reader: Reader): (source: string) => ReadAccess {
  const file = accessFile(projectFile);
  const mistakes: Mistakes = [];
  const tell = (): void => {
    reader.mistakes.push(...mistakes.splice(0).map((mistake) => `${basename(file)}: ${mistake}`));
  };
  const root = readRoot(file, reader.files, mistakes);
  tell();
  return (source) => {
    checkCase(root, source, mistakes);
    const value = Object.hasOwn(root, source) ? root[source] : undefined;
    const access = value === undefined ? NO_ACCESS : readAccess(value, source, { ...reader, mistakes });
    tell();
    return access;
  };
}

function readRoot(file: string, files: ProjectFiles, mistakes: Mistakes): Section {
  try {
    const value = files.read(file);
    if (isObject(value)) return value;
    if (value !== null) mistakes.push('it must hold a mapping, by the names of sources');
  } catch (error) {
    if (!isMissing(error)) mistakes.push(`it cannot be read: ${(error as Error).message}`);
  }
  return {};
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

/** An API that is not in the project at the moment may have an entry; one that is misspelt must not be overlooked. */
function checkCase(root: Section, source: string, mistakes: Mistakes): void {
  const alike = Object.keys(root).find((name) => name.toLowerCase() === source.toLowerCase());
  if (alike === undefined || Object.hasOwn(root, source)) return;
  mistakes.push(`${JSON.stringify(alike)} is not a source; there is one named ${JSON.stringify(source)}`);
}

function readAccess(value: unknown, source: string, reader: Reader): ReadAccess {
  const known = ['endpoint', 'basic', ...CREDENTIAL_KINDS, 'certificate'];
  const settings = new SettingReader(value, source, known, reader);
  const kinds = ['basic', ...CREDENTIAL_KINDS].filter((kind) => settings.has(kind));
  if (kinds.length > 1) {
    reader.mistakes.push(`"${source}" has ${kinds.join(' and ')}: one of them lets the gateway in`);
  }
  const [kind = ''] = kinds;
  const access = {
    endpoint: readEndpoint(settings),
    credential: readCredential(settings, kind),
    certificate: readCertificate(settings),
  };
  return { access, headers: readBasic(settings) };
}

function readEndpoint(settings: SettingReader): string | undefined {
  const endpoint = settings.optionalText('endpoint');
  const reason = endpoint === undefined ? undefined : validateServiceUrl(endpoint);
  if (reason !== undefined) settings.refuse('endpoint', reason);
  return endpoint === undefined || reason !== undefined ? undefined : plainServiceUrl(endpoint);
}

/** RFC 7617, 2: neither has control characters, and the user no colon. */
function readBasic(settings: SettingReader): Readonly<Record<string, string>> {
  const basic = settings.section('basic', ['user', 'password']);
  if (basic === undefined) return {};
  const [user, password] = [basic.text('user'), basic.text('password')];
  if (/[:\p{Cc}]/u.test(user)) basic.refuse('user', 'must have no colon and no control characters');
  if (/\p{Cc}/u.test(password)) basic.refuse('password', 'must have no control characters');
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function readCertificate(settings: SettingReader): ClientCertificate | undefined {
  const own = settings.section('certificate', ['cert', 'key', 'passphrase', 'ca']);
  if (own === undefined) return undefined;
  const before = own.reader.mistakes.length;
  const certificate = {
    cert: own.text('cert'),
    key: own.secret('key'),
    passphrase: own.optionalSecret('passphrase'),
    ca: own.optionalText('ca'),
  };
  const isComplete = own.reader.mistakes.length === before;
  const reason = isComplete ? validateCertificate(certificate) : undefined;
  if (reason !== undefined) own.reader.mistakes.push(`"${own.place}" cannot be used: ${reason}`);
  return certificate;
}

function validateCertificate(certificate: ClientCertificate): string | undefined {
  try {
    createSecureContext(tlsOptions(certificate));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const CLIENT_KEYS = ['tokenUrl', 'clientId', 'clientSecret', 'authentication', 'scopes'];
const TARGET_KEYS = ['audience', 'resource'];

/** The kinds of credentials by the name of the section that says them. */
const KINDS: ReadonlyMap<string, KindOfCredential> = new Map<string, KindOfCredential>([
  ['clientCredentials', { keys: [...CLIENT_KEYS, ...TARGET_KEYS], read: readClientCredentials }],
  ['refreshToken', { keys: [...CLIENT_KEYS, 'token'], read: readRefreshToken }],
  ['tokenExchange', { keys: [...CLIENT_KEYS, ...TARGET_KEYS, 'issuer'], read: readTokenExchange }],
  ['forwardedToken', { keys: ['issuer', 'audience'], read: readForwardedToken }],
  ['userKey', { keys: ['header', 'query', 'prefix'], read: readUserKey }],
  [
    'awsSignature',
    {
      keys: ['region', 'service', 'payload', 'key', 'accessKeyId', 'secretAccessKey', 'sessionToken'],
      read: readAwsSignature,
    },
  ],
  [
    'messageSignature',
    { keys: ['components', 'secretEncoding', 'key', 'keyId', 'secret'], read: readMessageSignature },
  ],
  ['digest', { keys: ['key', 'user', 'password'], read: readDigest }],
]);

const CREDENTIAL_KINDS: readonly string[] = [...KINDS.keys()];

interface KindOfCredential {
  readonly keys: readonly string[];
  readonly read: (settings: SettingReader) => SourceCredential;
}

/** The credential that a source's settings have under that name. */
function readCredential(settings: SettingReader, kind: string): SourceCredential | undefined {
  const known = KINDS.get(kind);
  const own = known && settings.section(kind, known.keys);
  return own && known.read(own);
}

function readClientCredentials(settings: SettingReader): SourceCredential {
  const client = readClient(settings);
  assertProof(settings, client);
  return { kind: 'clientCredentials', ...client };
}

function readRefreshToken(settings: SettingReader): SourceCredential {
  return { kind: 'refreshToken', ...readClient(settings), token: settings.secret('token') };
}

function readTokenExchange(settings: SettingReader): SourceCredential {
  return { kind: 'tokenExchange', ...readClient(settings), issuer: settings.text('issuer') };
}

function readForwardedToken(settings: SettingReader): SourceCredential {
  return { kind: 'forwardedToken', issuer: settings.text('issuer'), audience: settings.text('audience') };
}

function readUserKey(settings: SettingReader): SourceCredential {
  const [header, query] = [settings.optionalText('header'), settings.optionalText('query')];
  const prefix = settings.optionalText('prefix') ?? '';
  if ((header === undefined) === (query === undefined)) {
    settings.refuse('header', 'or "query" must say where the key goes, and not both');
  }
  if (header === undefined) return { kind: 'userKey', section: 'queryParams', name: query ?? '', prefix };
  const reason = validateHeader(header, prefix);
  if (reason !== undefined) settings.refuse('header', reason);
  return { kind: 'userKey', section: 'operationHeaders', name: header.toLowerCase(), prefix };
}

/** Parts of the scope of a signature, which are separated by slashes. */
const SCOPE_WORD = /^[\w.-]{1,64}$/;

function readAwsSignature(settings: SettingReader): SourceCredential {
  const [region, service] = ['region', 'service'].map((name) => {
    const word = settings.text(name);
    if (word !== '' && !SCOPE_WORD.test(word)) settings.refuse(name, 'must be one word');
    return word;
  });
  const payload = settings.choice('payload', SIGNED_PAYLOADS, 'signed');
  const key = readSigningKey(settings, 'accessKeyId', 'secretAccessKey', ['sessionToken']);
  return { kind: 'awsSignature', region: region ?? '', service: service ?? '', payload, key };
}

const COMPONENT =
  /^(?:@(?:method|authority|scheme|target-uri|request-target|path|query)|[!#$%&'*+\-.^_`|~\w]+)$/;
const COMPONENTS = ['@method', '@authority', '@path', '@query', 'content-type', 'content-digest'];

function readMessageSignature(settings: SettingReader): SourceCredential {
  const components = (settings.optionalWords('components') ?? COMPONENTS).map((each) => each.toLowerCase());
  if (!components.every((each) => COMPONENT.test(each)) || new Set(components).size < components.length) {
    settings.refuse('components', 'must name header fields, or components of RFC 9421, 2.2, each once');
  }
  const secretEncoding = settings.choice('secretEncoding', SECRET_ENCODINGS, 'text');
  const key = readSigningKey(settings, 'keyId', 'secret');
  return { kind: 'messageSignature', components, secretEncoding, key };
}

/** RFC 7616, 3.4: a user's name has no colon, because the colon separates it from the realm. */
function readDigest(settings: SettingReader): SourceCredential {
  const key = readSigningKey(settings, 'user', 'password');
  if (/[:\p{Cc}]/u.test(key?.id ?? ''))
    settings.refuse('user', 'must have no colon and no control characters');
  return { kind: 'digest', key };
}

/** The gateway's key; undefined if the settings leave it to the users (`key: user`). */
function readSigningKey(
  settings: SettingReader,
  id: string,
  secret: string,
  more: readonly string[] = [],
): SigningKey | undefined {
  if (settings.choice('key', ['gateway', 'user'], 'gateway') === 'user') {
    for (const name of [id, secret, ...more]) {
      if (settings.has(name)) settings.refuse(name, 'must not be given: each user stores a key');
    }
    return undefined;
  }
  const sessionToken = more.length > 0 ? settings.optionalSecret('sessionToken') : undefined;
  const key = { id: settings.text(id), secret: settings.secret(secret), sessionToken };
  const isSendable = [id === 'user' ? '' : key.id, sessionToken?.reveal() ?? ''].every(isHeaderText);
  if (!isSendable) settings.refuse(id, 'has characters that no header field can have');
  return key;
}

/** Printable ASCII (RFC 9110, 5.5). */
function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function readClient(settings: SettingReader): OAuthClient {
  const tokenUrl = settings.optionalText('tokenUrl');
  const reason = tokenUrl === undefined ? undefined : validateTokenUrl(tokenUrl);
  if (reason !== undefined) settings.refuse('tokenUrl', reason);
  const targets = TARGET_KEYS.flatMap((name) => {
    const text = settings.optionalText(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    tokenUrl,
    clientId: settings.text('clientId'),
    clientSecret: settings.optionalSecret('clientSecret'),
    authentication: settings.choice('authentication', CLIENT_AUTHENTICATIONS, 'basic'),
    scopes: settings.optionalWords('scopes'),
    parameters: Object.fromEntries(targets),
  };
}

/** RFC 6749, 4.4: only clients that can prove who they are may use that grant. */
function assertProof(settings: SettingReader, { clientSecret, authentication }: OAuthClient): void {
  if (clientSecret !== undefined || settings.has('clientSecret') || authentication === 'certificate') return;
  settings.refuse('clientSecret', 'is missing');
}
