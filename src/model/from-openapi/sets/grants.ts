import type { EntitySet, Singleton } from '../../edm.ts';
import type { Callable } from '../../operation.ts';
import type { Grants, Permission } from '../../permission.ts';
import { type DocumentNode, member, members, texts } from '../document/document-node.ts';
import type { DocumentOperation } from '../document/document-operation.ts';
import type { Report } from '../document/finding.ts';
import { type Schema, setting } from '../schemas/schema.ts';

const PERMISSIONS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

/** `x-odata.grants` of an entity's schema. */
export function schemaGrants(schema: Schema): Grants {
  return readGrants(setting(schema, 'grants'));
}

/** `x-odata.grants` of an operation that a function import or an action import calls. */
export function operationGrants({ node }: DocumentOperation): Grants {
  return readGrants(member(member(node, 'x-odata'), 'grants'));
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

function isCalledBySomebody(grants: Grants): boolean {
  return [...grants.values()].some((permissions) => permissions.has('Call'));
}

export function reportUncalled(report: Report, name: string, grants: Grants, pointer: string): void {
  if (isCalledBySomebody(grants)) return;
  report('info', pointer, `Nobody may call ${name}: x-odata.grants on the operation says who may`);
}

type Resource = Pick<EntitySet | Singleton, 'name' | 'entityType' | 'grants'>;

/** Says which sets and singletons nobody may use, and which of them have functions or actions that nobody may call. */
export function reportUnused(
  report: Report,
  resource: Resource,
  schema: Schema,
  callables: readonly Callable[],
): void {
  const { name, entityType, grants } = resource;
  const said = setting(schema, 'grants');
  if (said === undefined) {
    report('info', schema.identity, `Nobody may use ${name}: x-odata.grants says who may`);
    return;
  }
  const bound = callables.filter(({ binding }) => binding?.entityType === entityType.name);
  if (bound.length === 0 || isCalledBySomebody(grants)) return;
  const names = [...new Set(bound.map((callable) => callable.name))].join(', ');
  report('info', said.pointer, `Nobody may call what is bound to ${name}: no role has Call (${names})`);
}
