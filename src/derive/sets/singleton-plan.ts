import { isResourceName, pascalCase } from '../../model/names.ts';
import { text } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { componentName, isObjectSchema, ownSetting, type Schema } from '../../openapi/schemas/schema.ts';
import { isTokenAnswer } from '../answers/credentials.ts';
import {
  answerSchema,
  isCallable,
  isCalledByName,
  isListWrapper,
  listAnswer,
} from '../answers/list-answer.ts';
import type { EntityPlan, EntityPlanner } from '../edm-types/entity-plan.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type DocumentOperation, pathParameters } from '../operations/document-operation.ts';
import { firstSendable } from '../operations/request-body.ts';
import { type OperationIndex, pathKey } from './entity-set-plan.ts';
import type { ChangePlan } from './model-operation.ts';

/** A singleton to be: a GET of one object without parameters. */
export interface SingletonPlan {
  readonly name: string;
  readonly entity: EntityPlan;
  readonly read: DocumentOperation;
  readonly change: ChangePlan | undefined;
}

/** The singletons among operations that nothing else is made of; named after the end of their path. */
export function planSingletons(
  derivation: Derivation,
  planner: EntityPlanner,
  index: OperationIndex,
  used: Set<DocumentOperation>,
  operations: readonly DocumentOperation[],
): readonly SingletonPlan[] {
  return operations.flatMap((read) => {
    const schema = singleAnswer(derivation, read);
    if (schema === undefined || used.has(read)) return [];
    const wanted = singletonName(derivation, schema, read);
    const entity = wanted === undefined ? undefined : planner.single(schema);
    if (wanted === undefined || entity === undefined) return [];
    const methods = index.get(pathKey(read));
    const changes = [methods?.get('patch'), methods?.get('put')].filter(
      (operation) => firstSendable(derivation, [operation]) !== undefined,
    );
    const [update, replace] = changes;
    for (const operation of [read, ...changes]) if (operation !== undefined) used.add(operation);
    return [
      {
        name: derivation.claimResourceName(namesOf(wanted, read), read.node.pointer),
        entity,
        read,
        change: update && { update, replace },
      },
    ];
  });
}

function singleAnswer(derivation: Derivation, operation: DocumentOperation): Schema | undefined {
  if (operation.method !== 'get' || pathParameters(operation).length > 0 || !isCallable(operation))
    return undefined;
  const schema = isCalledByName(operation) ? undefined : answerSchema(derivation, operation);
  if (schema === undefined || schema.hidden || !isObjectSchema(schema)) return undefined;
  const hasQuery = operation.parameters.some(({ in: place }) => place === 'query');
  if (hasQuery && ownSetting(schema, 'singleton') === undefined) return undefined;
  if (componentName(schema) === undefined || schema.alternatives.length > 0) return undefined;
  if (isTokenAnswer(schema) && ownSetting(schema, 'singleton') === undefined) return undefined;
  const list = listAnswer(derivation, operation);
  return list !== undefined &&
    isListWrapper(derivation, list) &&
    ownSetting(schema, 'singleton') === undefined
    ? undefined
    : schema;
}

/** The name, or, where something else has it, all words of the path. */
function namesOf(wanted: string, { segments }: DocumentOperation): NameChoice {
  const words = segments.map((segment) => (segment.kind === 'literal' ? segment.text : segment.name));
  const tails = words.map((_, index) => pascalCase(words.slice(index).join(' ')) ?? wanted).toReversed();
  return [wanted, ...tails];
}

function singletonName(
  { source }: Derivation,
  schema: Schema,
  { segments }: DocumentOperation,
): string | undefined {
  const declared = ownSetting(schema, 'singleton');
  const name = text(declared);
  if (name !== undefined && isResourceName(name)) return name;
  if (declared !== undefined)
    source.report('error', declared.pointer, `${quote(declared.value)} cannot be the name of a singleton`);
  const last = segments.findLast(({ kind }) => kind === 'literal');
  return last?.kind === 'literal' ? pascalCase(last.text) : undefined;
}
