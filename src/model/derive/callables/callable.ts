import {
  type DocumentNode,
  isTrue,
  items,
  member,
  text,
  texts,
} from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';
import type { DescribedCallable } from '../../description.ts';
import { pascalCase } from '../../names.ts';
import { pagingOf } from '../answers/paging-of.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import { operationGrants } from '../operations/grants.ts';
import { unsentMedia } from '../operations/request-body.ts';
import { calling } from '../sets/model-operation.ts';
import { bindingOf } from './callable-binding.ts';
import type { CallableContext } from './callable-context.ts';
import { callableNames } from './callable-name.ts';
import { parametersOf } from './callable-parameter.ts';
import { type Result, resultOf } from './callable-result.ts';

/**
 * Makes the function (GET) or action of an operation that nothing else is made of;
 * bound to an entity where its path leads through the entity's. None, and a finding, where a parameter
 * that must be given, or the result, has no type in the model.
 */
export function addCallable(context: CallableContext, operation: DocumentOperation): void {
  const { derivation, registry, setOf } = context;
  const unsent = unsentMedia(derivation, operation);
  if (unsent !== undefined) {
    const message = `The operation is left out: it takes ${unsent}, neither JSON nor a form`;
    derivation.source.report('warning', operation.node.pointer, message);
    return;
  }
  const settings = member(operation.node, 'x-odata');
  const kind = operation.method === 'get' && member(settings, 'action') === undefined ? 'function' : 'action';
  const bound = bindingOf(context, operation, settings);
  const names = callableNames(derivation.source, operation, settings, bound);
  const [name = operation.id] = names;
  const returns = resultOf(context, operation, name);
  const filled = new Set(bound?.filled.parameters.map((parameter) => parameter.name));
  const parameters = parametersOf(context, operation, name, filled);
  if (parameters === undefined || isWithoutResult(derivation, kind, operation, returns)) return;
  const callable: DescribedCallable = {
    kind,
    namespace: derivation.namespace,
    name,
    ...descriptions(operation),
    deprecated: isTrue(member(operation.node, 'deprecated')),
    binding: bound?.binding,
    parameters,
    returns: returns?.use,
    wrappedIn: returns?.wrappedIn,
    paging: kind === 'function' && returns?.list ? pagingOf(derivation, returns.list) : undefined,
    calls: [{ resource: bound?.resource, operation: bound?.filled ?? calling(derivation, operation, []) }],
  };
  const entitySet =
    returns?.use.type.kind === 'entity' ? setOf.get(returns.schema?.identity ?? '') : undefined;
  for (const overload of overloadsOf(derivation, callable, settings)) {
    registry.add(
      overload,
      names,
      { entitySet, grants: operationGrants(derivation.source, operation) },
      operation.node.pointer,
    );
  }
}

function descriptions({
  node,
}: DocumentOperation): Pick<DescribedCallable, 'description' | 'longDescription'> {
  const summary = text(member(node, 'summary'));
  const description = text(member(node, 'description'));
  return summary === undefined
    ? { description, longDescription: undefined }
    : { description: summary, longDescription: description };
}

function isWithoutResult(
  { source }: Derivation,
  kind: DescribedCallable['kind'],
  operation: DocumentOperation,
  returns: Result | undefined,
): boolean {
  if (returns !== undefined || (kind === 'action' && operation.answer === undefined)) return false;
  const found = operation.answer === undefined ? 'nothing' : 'what has no type in the model';
  const message = `The operation is left out: it answers with ${found}`;
  source.report('warning', operation.node.pointer, message);
  return true;
}

/** `x-odata.overloads`: lists of the names of the parameters that each overload has. */
function overloadsOf(
  { source }: Derivation,
  callable: DescribedCallable,
  settings: DocumentNode | undefined,
): readonly DescribedCallable[] {
  const lists = items(member(settings, 'overloads'));
  if (lists.length === 0) return [callable];
  return lists.map((list) => {
    const names = texts(list).map((name) => pascalCase(name));
    const parameters = callable.parameters.filter(({ name }) => names.includes(name));
    if (parameters.length < names.length) {
      source.report('error', list.pointer, `The operation has no such parameters: ${quote(texts(list))}`);
    }
    return { ...callable, parameters: parameters.map((parameter) => ({ ...parameter, optional: false })) };
  });
}
