import { type ProjectSource, suppliedBy } from '../../mesh/project-reading/project-source.ts';
import { credentialPlaces } from '../../mesh/project-reading/source-credential.ts';
import { documentOperations } from '../../model/derive/operations/document-operation.ts';
import { type DocumentNode, items, member, members } from '../../openapi/document/document-node.ts';
import { type DocumentSource, documentSource, resolve } from '../../openapi/document/document-source.ts';
import {
  CLIENT_CERTIFICATE,
  type CredentialSetting,
  readSecurityScheme,
  type SecurityScheme,
} from './security-scheme.ts';

/** The credentials that a document knows of, whether a source gives them, and whether that is enough. */
export interface CredentialsReport {
  readonly credentials: readonly CredentialReport[];
  /** How many operations ask for a credential. */
  readonly asking: number;
  /** How many of these go out without what they ask for. */
  readonly unmet: number;
}

export interface CredentialReport extends SecurityScheme {
  /** How many operations accept it, alone or with others. */
  readonly operations: number;
  readonly isGiven: boolean;
  /** The file beside the project file gives it, and not a setting of the source. */
  readonly isInFile: boolean;
}

/** One way to be let in: all of these schemes together (OpenAPI 3.1, section 4.8.30). */
type Requirement = readonly string[];

/** Reads what the operations ask for: any one of their requirements, of which an empty one is met by nothing. */
export function readCredentials(settings: ProjectSource, document: unknown): CredentialsReport {
  const source = documentSource(settings.name, document, suppliedBy(settings));
  const asked = documentOperations(source)
    .map(({ node }) => requirementsOf(source, node))
    .filter((requirements) => requirements.length > 0 && requirements.every((each) => each.length > 0));
  const schemes = members(member(member(source.root, 'components'), 'securitySchemes'));
  const names = new Set([...schemes.map(([scheme]) => scheme), ...asked.flat(2)]);
  const credentials = [...names].map((scheme) => {
    const operations = asked.filter((requirements) => requirements.flat().includes(scheme)).length;
    const found = schemeOf(source, scheme);
    const isInFile = isGivenByFile(found, settings);
    return { ...found, operations, isGiven: isInFile || isGiven(found.setting, settings), isInFile };
  });
  const given = new Set(credentials.filter((each) => each.isGiven).map((each) => each.name));
  const isMet = (requirement: Requirement): boolean => requirement.every((scheme) => given.has(scheme));
  return {
    credentials,
    asking: asked.length,
    unmet: asked.filter((requirements) => !requirements.some(isMet)).length,
  };
}

/** An operation's own list, even an empty one, stands in the place of the document's. */
function requirementsOf({ root }: DocumentSource, operation: DocumentNode): readonly Requirement[] {
  const list = member(operation, 'security') ?? member(root, 'security');
  return items(list).map((requirement) => members(requirement).map(([scheme]) => scheme));
}

function schemeOf(source: DocumentSource, name: string): SecurityScheme {
  const schemes = member(member(source.root, 'components'), 'securitySchemes');
  return readSecurityScheme(source.name, name, resolve(source, member(schemes, name)));
}

/** What stands behind it is checked where the file is read. */
const ANY_SECRET = '·';

function isGivenByFile({ asksFor, setting }: SecurityScheme, { access }: ProjectSource): boolean {
  if (asksFor === CLIENT_CERTIFICATE) return access?.certificate !== undefined;
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
