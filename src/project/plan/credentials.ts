import { credentialPlaces } from '../../contract/source-credential.ts';
import { documentOperations } from '../../derive/operations/document-operation.ts';
import { type DocumentNode, items, member, members, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, documentSource, resolve } from '../../openapi/document/document-source.ts';
import { type ProjectSource, suppliedBy } from '../../sources/project-source.ts';

/** The security schemes of a document, whether a source configures them, and whether that suffices. */
export interface CredentialsReport {
  readonly credentials: readonly CredentialReport[];
  /** The number of operations that require a credential. */
  readonly asking: number;
  /** The number of operations that are called without the credential they require. */
  readonly unmet: number;
}

export interface CredentialReport extends SecurityScheme {
  /** The number of operations that accept the scheme, alone or with others. */
  readonly operations: number;
  readonly isGiven: boolean;
  /** True if it is configured in the file beside the project file, not in the source's settings. */
  readonly isInFile: boolean;
}

/** Schemes that are required together, as one alternative (OpenAPI 3.1, section 4.8.30). */
type Requirement = readonly string[];

/**
 * Reads the requirements of the operations. One of an operation's alternatives suffices; an empty one needs
 * no credential.
 */
export function readCredentials(settings: ProjectSource, document: unknown): CredentialsReport {
  const source = documentSource(settings.name, document, suppliedBy(settings));
  const required = documentOperations(source)
    .map(({ node }) => requirementsOf(source, node))
    .filter((requirements) => requirements.length > 0 && requirements.every((each) => each.length > 0));
  const schemes = members(member(member(source.root, 'components'), 'securitySchemes'));
  const names = new Set([...schemes.map(([scheme]) => scheme), ...required.flat(2)]);
  const credentials = [...names].map((scheme) => {
    const operations = required.filter((requirements) => requirements.flat().includes(scheme)).length;
    const found = schemeOf(source, scheme);
    const isInFile = isGivenByFile(found, settings);
    return { ...found, operations, isGiven: isInFile || isGiven(found.setting, settings), isInFile };
  });
  const given = new Set(credentials.filter((each) => each.isGiven).map((each) => each.name));
  const isMet = (requirement: Requirement): boolean => requirement.every((scheme) => given.has(scheme));
  return {
    credentials,
    asking: required.length,
    unmet: required.filter((requirements) => !requirements.some(isMet)).length,
  };
}

/** An operation's own list, even an empty one, replaces the document's. */
function requirementsOf({ root }: DocumentSource, operation: DocumentNode): readonly Requirement[] {
  const list = member(operation, 'security') ?? member(root, 'security');
  return items(list).map((requirement) => members(requirement).map(([scheme]) => scheme));
}

function schemeOf(source: DocumentSource, name: string): SecurityScheme {
  const schemes = member(member(source.root, 'components'), 'securitySchemes');
  return readSecurityScheme(source.name, name, resolve(source, member(schemes, name)));
}

/** A placeholder; the file's own validation checks the real value. */
const ANY_SECRET = '·';

function isGivenByFile({ asksFor, setting }: SecurityScheme, { access }: ProjectSource): boolean {
  if (asksFor === CLIENT_CERTIFICATE) return access?.certificate !== undefined;
  if (asksFor === HTTP_DIGEST) return access?.credential?.kind === 'digest';
  const places = credentialPlaces(access?.credential);
  const [headers, query] = [places.operationHeaders, places.queryParams].map((place) =>
    Object.fromEntries(Object.entries(place).map(([name, prefix]) => [name, prefix + ANY_SECRET])),
  );
  return isGiven(setting, { operationHeaders: headers ?? {}, queryParams: query ?? {} });
}

function isGiven(
  setting: CredentialSetting | undefined,
  settings: Pick<ProjectSource, 'operationHeaders' | 'queryParams'>,
): boolean {
  if (setting === undefined) return false;
  const values = settings[setting.section] ?? {};
  const value = Object.hasOwn(values, setting.name) ? values[setting.name] : undefined;
  const at = value?.toLowerCase().indexOf(setting.marker.toLowerCase()) ?? -1;
  return at >= 0 && value?.slice(at + setting.marker.length).trim() !== '';
}

/** A security scheme of a document (OpenAPI 3.1, section 4.8.27). */
interface SecurityScheme {
  readonly name: string;
  /** The required credential, such as `API key in the query parameter api_key`. */
  readonly asksFor: string;
  /** The setting for it; undefined if no setting of a source supports the scheme. */
  readonly setting: CredentialSetting | undefined;
}

/** A setting of a source in the project file. */
interface CredentialSetting {
  readonly section: 'operationHeaders' | 'queryParams';
  /** The header or parameter. */
  readonly name: string;
  /** The value of the setting, such as `Bearer {env.POSTS_TOKEN}`. */
  readonly value: string;
  /** The fixed prefix of the value, such as `Bearer `. */
  readonly marker: string;
  /** A note on the content of the variable, if its name does not explain it. */
  readonly note: string | undefined;
}

/** Reads the scheme; `node` is undefined if the document refers to an undeclared scheme. */
function readSecurityScheme(source: string, name: string, node: DocumentNode | undefined): SecurityScheme {
  switch (text(member(node, 'type'))) {
    case 'apiKey':
      return { name, ...apiKey(source, node) };
    case 'http':
      return { name, ...httpScheme(source, node) };
    case 'oauth2':
      return { name, asksFor: 'OAuth 2.0 access token', setting: bearer(source, ACCESS_TOKEN) };
    case 'openIdConnect':
      return { name, asksFor: 'OpenID Connect access token', setting: bearer(source, ACCESS_TOKEN) };
    case 'mutualTLS':
      return { name, asksFor: CLIENT_CERTIFICATE, setting: undefined };
    default:
      return { name, asksFor: 'what the document does not describe', setting: undefined };
  }
}

const ACCESS_TOKEN =
  'an access token, got beforehand; or have the gateway get one, by docs/upstream-credentials.md';

const CLIENT_CERTIFICATE = 'client certificate';

const HTTP_DIGEST = 'HTTP Digest';

type Reading = Omit<SecurityScheme, 'name'>;

function apiKey(source: string, node: DocumentNode | undefined): Reading {
  const name = text(member(node, 'name')) ?? '';
  const value = variable(source, name === '' ? 'key' : name);
  const entry = { value, marker: '', note: undefined };
  switch (text(member(node, 'in'))) {
    case 'header':
      return {
        asksFor: `API key in the header ${name}`,
        setting: { ...entry, section: 'operationHeaders', name: name.toLowerCase() },
      };
    case 'query':
      return {
        asksFor: `API key in the query parameter ${name}`,
        setting: { ...entry, section: 'queryParams', name },
      };
    case 'cookie':
      return { asksFor: `API key in the cookie ${name}`, setting: cookie(name, value) };
    default:
      return { asksFor: 'API key, the document does not say where', setting: undefined };
  }
}

function cookie(name: string, value: string): CredentialSetting {
  const marker = `${name}=`;
  return { section: 'operationHeaders', name: 'cookie', value: `${marker}${value}`, marker, note: undefined };
}

function httpScheme(source: string, node: DocumentNode | undefined): Reading {
  const scheme = text(member(node, 'scheme')) ?? '';
  switch (scheme.toLowerCase()) {
    case 'basic':
      return {
        asksFor: 'HTTP Basic',
        setting: authorization(
          'Basic',
          variable(source, 'basic'),
          'USER:PASSWORD in Base64; or give user and password as they are, by docs/upstream-credentials.md',
        ),
      };
    case 'digest':
      return { asksFor: HTTP_DIGEST, setting: undefined };
    case 'bearer':
      return { asksFor: 'HTTP Bearer token', setting: bearer(source, undefined) };
    default:
      return { asksFor: `HTTP ${scheme}`, setting: undefined };
  }
}

function bearer(source: string, note: string | undefined): CredentialSetting {
  return authorization('Bearer', variable(source, 'token'), note);
}

/** RFC 9110, section 11.6.2: a case-insensitive scheme and the credential. */
function authorization(scheme: string, value: string, note: string | undefined): CredentialSetting {
  const marker = `${scheme} `;
  return { section: 'operationHeaders', name: 'authorization', value: `${marker}${value}`, marker, note };
}

/** An environment variable named after the source, such as `{env.POSTS_TOKEN}`. */
function variable(source: string, suffix: string): string {
  return `{env.${[source, suffix].map(constantCase).filter(Boolean).join('_').replace(/^\d/, '_$&')}}`;
}

function constantCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
}
