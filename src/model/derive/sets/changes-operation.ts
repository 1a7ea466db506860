import { type DocumentNode, member, text } from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';
import { type Schema, schemaProperties, setting } from '../../../openapi/schemas/schema.ts';
import type { ChangesOperation } from '../../operation.ts';
import { answerSchema, isCallable, listAnswer } from '../answers/list-answer.ts';
import { meshName } from '../names/mesh-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type DocumentOperation, pathParameters } from '../operations/document-operation.ts';
import { type NamedOperations, operationNamed, parameterNamed } from './entity-settings.ts';
import { calling } from './model-operation.ts';

/**
 * The operation of a set that tells what has changed (`x-odata.changes`): `since`, `items`, `removed` and `next` of its
 * own `x-odata` say where tokens and entities stand. Undefined, and reported, where it does not say enough.
 */
export function changesOperation(named: NamedOperations, schema: Schema): ChangesOperation | undefined {
  const { derivation } = named;
  const node = setting(schema, 'changes');
  const operation = operationNamed(named, node);
  if (node === undefined || operation === undefined) return undefined;
  const settings = member(operation.node, 'x-odata');
  const list = listAnswer(derivation, operation);
  const since = sinceParameter(derivation, operation, settings);
  const next = answerProperty(derivation, operation, settings, 'next');
  const isFeed =
    operation.method === 'get' && pathParameters(operation).length === 0 && isCallable(operation);
  if (!isFeed || list?.item.identity !== schema.identity) {
    const message = 'A change feed is a GET without path parameters that answers with a list of the entities';
    derivation.source.report('error', operation.node.pointer, message);
    return undefined;
  }
  if (since === undefined || next === undefined) return undefined;
  const removed = member(settings, 'removed') && answerProperty(derivation, operation, settings, 'removed');
  return { ...calling(derivation, operation, []), wrappedIn: list.wrappedIn, since, removed, next };
}

function sinceParameter(
  derivation: Derivation,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
): string | undefined {
  const node = member(settings, 'since');
  if (node === undefined) reportMissing(derivation, operation, 'since', 'the parameter that takes a token');
  const parameter = parameterNamed(derivation, operation, node);
  return parameter && meshName(parameter.name);
}

function answerProperty(
  derivation: Derivation,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
  key: 'next' | 'removed',
): string | undefined {
  const node = member(settings, key);
  if (node === undefined)
    return reportMissing(derivation, operation, key, 'the property that holds the next token');
  const name = text(node);
  const answer = answerSchema(derivation, operation);
  const isThere = name !== undefined && answer !== undefined && schemaProperties(answer).has(name);
  if (isThere) return name;
  derivation.source.report('error', node.pointer, `The answer has no property ${quote(node.value)}`);
  return undefined;
}

function reportMissing(
  { source }: Derivation,
  { node }: DocumentOperation,
  key: string,
  meaning: string,
): undefined {
  const message = `A change feed needs x-odata.${key}: ${meaning}`;
  source.report('error', node.pointer, message);
  return undefined;
}
