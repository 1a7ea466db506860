import type {
  InsertOperation,
  ListOperation,
  Operation,
  OperationParameter,
  UpdateOperation,
} from '../operation.ts';
import type { Derivation } from './derivation.ts';
import { isTrue, member, text } from './document-node.ts';
import type { DocumentOperation } from './document-operation.ts';
import type { KeyPart } from './entity-key.ts';
import type { EntityPlan } from './entity-plan.ts';
import type { ListAnswer } from './list-answer.ts';
import { meshName } from './mesh-name.ts';
import { phrase } from './names.ts';
import { isMediaSchema, setting } from './schema.ts';
import { mediaInsert } from './sent-body.ts';
import { untakenProperties } from './untaken-properties.ts';

/** The operation in the model, with what fills its path parameters. */
export function calling(
  { source }: Derivation,
  { id }: DocumentOperation,
  parameters: readonly OperationParameter[],
): Operation {
  return { id, parameters, source: source.name };
}

/** Fills the path parameters of an entity set's operation with its key, by the names that its read has for them. */
export function keyParameters(key: readonly KeyPart[]): readonly OperationParameter[] {
  return key.flatMap(({ parameter, property }) =>
    parameter === undefined ? [] : [{ name: meshName(parameter), property: property.name }],
  );
}

export function listing(
  derivation: Derivation,
  { operation, wrappedIn }: ListAnswer,
  parameters: readonly OperationParameter[],
): ListOperation {
  return { ...calling(derivation, operation, parameters), wrappedIn };
}

/** A create, with what a client is told when it fails: by default `Failed to add a post.` */
export function insertion(
  derivation: Derivation,
  operation: DocumentOperation,
  { name, properties, schema }: EntityPlan,
  parameters: readonly OperationParameter[],
): InsertOperation {
  const settings = member(operation.node, 'x-odata');
  return {
    ...calling(derivation, operation, parameters),
    verbatim: text(member(settings, 'body')) === 'verbatim',
    failure: text(member(settings, 'failure')) ?? `Failed to add ${phrase(name)}.`,
    nonInsertableProperties: untakenProperties(derivation, operation, properties),
    media: isMediaSchema(schema) ? mediaInsert(derivation, operation) : undefined,
  };
}

/** A change of an entity at the place where those parameters lead to. */
export function updating(
  derivation: Derivation,
  operation: DocumentOperation,
  { key, properties }: EntityPlan,
  parameters: readonly OperationParameter[],
): UpdateOperation {
  const keys = new Set(key.map(({ property }) => property.name));
  const free = properties.filter(
    ({ name, schema }) => !keys.has(name) && !isTrue(setting(schema, 'immutable')),
  );
  return {
    ...calling(derivation, operation, parameters),
    method: operation.method === 'put' ? 'PUT' : 'PATCH',
    nonUpdatableProperties: untakenProperties(derivation, operation, free),
  };
}
