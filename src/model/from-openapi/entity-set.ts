import type { Permission } from '../../contract/permissions.ts';
import type { EntitySet, InsertOperation, Operation, OperationParameter, UpdateOperation } from '../edm.ts';
import type { Derivation } from './derivation.ts';
import { member, members, text, texts } from './document-node.ts';
import type { DocumentOperation } from './document-operation.ts';
import { pathParameters } from './document-operation.ts';
import { entityKey, type KeyPart } from './entity-key.ts';
import type { EntitySetPlan } from './entity-set-plan.ts';
import { entityType } from './entity-type.ts';
import { meshName } from './mesh-name.ts';
import { isModelName, pascalCase, phrase } from './names.ts';
import { componentName, type Schema, setting } from './schema.ts';
import { namedProperties } from './structural-property.ts';

/** The entity set of a plan, or undefined (and a finding) where there can be none. */
export function entitySet(derivation: Derivation, plan: EntitySetPlan): EntitySet | undefined {
  const properties = namedProperties(derivation, plan.schema);
  const parameters = plan.read === undefined ? [] : pathParameters(plan.read).map(({ name }) => name);
  const key = entityKey(derivation, plan.schema, properties, parameters, plan.at);
  const typeName = pascalCase(componentName(plan.schema) ?? '');
  if (key === undefined || typeName === undefined) return undefined;
  const type = entityType(derivation, plan.schema, typeName, properties, key);
  return {
    name: derivation.claimResourceName(setName(derivation, plan.schema) ?? typeName, plan.at.pointer),
    entityType: type,
    list: plan.list && operation(derivation, plan.list.operation, []),
    read: plan.read && operation(derivation, plan.read, key),
    insert: plan.insert && insertOperation(derivation, plan.insert, typeName),
    update: plan.update && updateOperation(derivation, plan.update, key),
    delete: plan.delete && operation(derivation, plan.delete, key),
    grants: grants(plan.schema),
  };
}

function setName({ source }: Derivation, schema: Schema): string | undefined {
  const said = setting(schema, 'entitySet');
  const name = text(said);
  if (said === undefined || name === undefined || isModelName(name)) return name;
  source.report(
    'error',
    said.pointer,
    'The name of an entity set has letters, digits and _, and begins with no digit',
  );
  return undefined;
}

function operation({ source }: Derivation, { id }: DocumentOperation, key: readonly KeyPart[]): Operation {
  return { id, parameters: key.flatMap(operationParameter), source: source.name };
}

function operationParameter({ parameter, property }: KeyPart): readonly OperationParameter[] {
  return parameter === undefined ? [] : [{ name: meshName(parameter), property: property.name }];
}

function insertOperation(
  derivation: Derivation,
  document: DocumentOperation,
  typeName: string,
): InsertOperation {
  const settings = member(document.node, 'x-odata');
  return {
    ...operation(derivation, document, []),
    verbatim: text(member(settings, 'body')) === 'verbatim',
    failure: text(member(settings, 'failure')) ?? `Failed to add ${phrase(typeName)}.`,
  };
}

function updateOperation(
  derivation: Derivation,
  document: DocumentOperation,
  key: readonly KeyPart[],
): UpdateOperation {
  return { ...operation(derivation, document, key), method: document.method === 'put' ? 'PUT' : 'PATCH' };
}

const PERMISSIONS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete'];

function grants(schema: Schema): ReadonlyMap<string, ReadonlySet<Permission>> {
  return new Map(
    members(setting(schema, 'grants')).map(([role, node]) => {
      const said = texts(node);
      return [role, new Set(PERMISSIONS.filter((permission) => said.includes(permission)))];
    }),
  );
}
