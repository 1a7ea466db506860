import {
  type DocumentNode,
  items,
  member,
  members,
  nodeAt,
  text,
  texts,
} from '../../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../../openapi/document/document-source.ts';
import { type Schema, setting } from '../../../openapi/schemas/schema.ts';
import type { Grants, Permission } from '../../permission.ts';
import type { DocumentOperation } from './document-operation.ts';

const PERMISSIONS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

/** `x-odata.grants` of an entity's schema. */
export function schemaGrants(schema: Schema): Grants {
  return readGrants(setting(schema, 'grants'));
}

/** Who may call an operation by a function import or an action import: by its own `x-odata.grants`, or by those around it. */
export function operationGrants(source: DocumentSource, operation: DocumentOperation): Grants {
  const own = settingOf(operation.node);
  if (own !== undefined) return readGrants(own);
  const callers = rolesWith('Call', [surroundingGrants(source, operation)]);
  return new Map(callers.map((role) => [role, new Set<Permission>(['Call'])]));
}

/**
 * What roles may do with the operation where neither a schema nor the operation says it: the grants of its path,
 * else of its tags, else of the document. Of several tags that have some, all must grant it.
 */
export function surroundingGrants(source: DocumentSource, operation: DocumentOperation): Grants {
  return pathGrants(source, operation) ?? tagGrants(source, operation) ?? readGrants(settingOf(source.root));
}

/** The grants of the operation's path; undefined where it has none. */
export function pathGrants({ root }: DocumentSource, { node }: DocumentOperation): Grants | undefined {
  // A Path Item Object that is referred to has them, too.
  const item = nodeAt(root, node.pointer.slice(0, node.pointer.lastIndexOf('/')));
  const said = item && settingOf(item);
  return said && readGrants(said);
}

/** The grants of the operation's tags; undefined where they have none. */
export function tagGrants({ root }: DocumentSource, { node }: DocumentOperation): Grants | undefined {
  const names = new Set(texts(member(node, 'tags')));
  const said = items(member(root, 'tags'))
    .filter((tag) => names.has(text(member(tag, 'name')) ?? ''))
    .flatMap((tag) => settingOf(tag) ?? []);
  return said.length === 0 ? undefined : said.map(readGrants).reduce(sharedGrants);
}

function settingOf(node: DocumentNode): DocumentNode | undefined {
  return member(member(node, 'x-odata'), 'grants');
}

function readGrants(node: DocumentNode | undefined): Grants {
  return new Map(
    members(node).map(([role, said]) => {
      const named = texts(said);
      return [role, new Set(PERMISSIONS.filter((permission) => named.includes(permission)))];
    }),
  );
}

/** What roles may do by both grants. */
export function sharedGrants(one: Grants, other: Grants): Grants {
  const isShared = (role: string, permission: Permission) => other.get(role)?.has(permission) === true;
  return new Map(
    [...one].map(([role, said]) => [role, new Set([...said].filter((each) => isShared(role, each)))]),
  );
}

/** The roles that all grants give the permission to. */
export function rolesWith(permission: Permission, all: readonly Grants[]): readonly string[] {
  const [first, ...others] = all;
  const may = (grants: Grants, role: string) => grants.get(role)?.has(permission) === true;
  return [...(first?.keys() ?? [])].filter(
    (role) => first && [first, ...others].every((each) => may(each, role)),
  );
}
