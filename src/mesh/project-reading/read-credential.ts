import type { SettingReader } from './setting-reader.ts';
import { CLIENT_AUTHENTICATIONS, type OAuthClient, type SourceCredential } from './source-credential.ts';
import { whyNotTokenUrl } from './token-url.ts';
import { whyNotHeader } from './upstream-headers.ts';

const CLIENT_KEYS = ['tokenUrl', 'clientId', 'clientSecret', 'authentication', 'scopes'];
const TARGET_KEYS = ['audience', 'resource'];

/** By the name of the section that says it. */
const KINDS: ReadonlyMap<string, KindOfCredential> = new Map<string, KindOfCredential>([
  ['clientCredentials', { keys: [...CLIENT_KEYS, ...TARGET_KEYS], read: readClientCredentials }],
  ['refreshToken', { keys: [...CLIENT_KEYS, 'token'], read: readRefreshToken }],
  ['tokenExchange', { keys: [...CLIENT_KEYS, ...TARGET_KEYS, 'issuer'], read: readTokenExchange }],
  ['forwardedToken', { keys: ['issuer', 'audience'], read: readForwardedToken }],
  ['userKey', { keys: ['header', 'query', 'prefix'], read: readUserKey }],
]);

export const CREDENTIAL_KINDS: readonly string[] = [...KINDS.keys()];

interface KindOfCredential {
  readonly keys: readonly string[];
  readonly read: (settings: SettingReader) => SourceCredential;
}

/** The credential that a source's settings have under that name. */
export function readCredential(settings: SettingReader, kind: string): SourceCredential | undefined {
  const known = KINDS.get(kind);
  const own = known && settings.section(kind, known.keys);
  return own && known.read(own);
}

function readClientCredentials(settings: SettingReader): SourceCredential {
  const client = readClient(settings);
  demandProof(settings, client);
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
  const reason = whyNotHeader(header, prefix);
  if (reason !== undefined) settings.refuse('header', reason);
  return { kind: 'userKey', section: 'operationHeaders', name: header.toLowerCase(), prefix };
}

function readClient(settings: SettingReader): OAuthClient {
  const tokenUrl = settings.optionalText('tokenUrl');
  const reason = tokenUrl === undefined ? undefined : whyNotTokenUrl(tokenUrl);
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
function demandProof(settings: SettingReader, { clientSecret, authentication }: OAuthClient): void {
  if (clientSecret !== undefined || settings.has('clientSecret') || authentication === 'certificate') return;
  settings.refuse('clientSecret', 'is missing');
}
