import type { DescribedBinding, DescribedCallable } from '../../model/description.ts';
import { meshName } from '../../model/mesh-name.ts';
import { isModelName, pascalCase } from '../../model/names.ts';
import type { Operation } from '../../model/operation.ts';
import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  prose,
  text,
  texts,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import { componentName } from '../../openapi/schemas/schema.ts';
import { isAboutCredentials } from '../answers/credentials.ts';
import { envelopeOf, isCalledByName } from '../answers/list-answer.ts';
import { pagingOf } from '../answers/paging-of.ts';
import { furtherDocumentation } from '../edm-types/documentation.ts';
import type { EntityPlan, EntityPlanner } from '../edm-types/entity-plan.ts';
import { partNamed } from '../names/part-named.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, PathSegment } from '../operations/document-operation.ts';
import { operationName } from '../operations/generated-name.ts';
import { unsentMedia } from '../operations/request-body.ts';
import { operationGrants } from '../sets/grants.ts';
import { calling, fillParameters, type Place } from '../sets/model-operation.ts';
import { type CallableContext, parametersOf, type Result, resultOf } from './callable-parameter.ts';

/**
 * Makes a function (GET) or an action of an operation without another use in the model. It is bound to an
 * entity if its path continues the entity's path. Reports a finding, and makes none, if a required parameter
 * or the result has no type in the model.
 */
export function addCallable(context: CallableContext, operation: DocumentOperation): void {
  const { derivation, registry, setOf } = context;
  const unsent = unsentMedia(derivation, operation);
  if (unsent !== undefined) {
    const message = `The operation is left out: it takes ${unsent}, neither JSON nor a form`;
    derivation.source.report('warning', operation.node.pointer, message);
    return;
  }
  if (!isCalledByName(operation) && isAboutCredentials(derivation, operation)) {
    const message = 'The operation is left out: it is asked by a credential, or answers with one';
    const hint = 'x-odata.function serves it all the same';
    derivation.source.report('info', operation.node.pointer, `${message}; ${hint}`, 'about-credentials');
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
    ...furtherDocumentation(member(operation.node, 'externalDocs')),
    binding: bound?.binding,
    parameters,
    returns: returns?.use,
    wrappedIn: returns?.wrappedIn,
    paging: kind === 'function' && returns?.list ? pagingOf(derivation, returns.list) : undefined,
    envelope: kind === 'function' && returns?.list ? envelopeOf(derivation, returns.list) : undefined,
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
  const summary = prose(member(node, 'summary'));
  const description = prose(member(node, 'description'));
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
  const message = `The operation is left out: ${unansweredReason(operation)}`;
  source.report('warning', operation.node.pointer, message);
  return true;
}

/**
 * A response without content is empty by declaration only if its status demands it (RFC 9110, 15.3.5);
 * otherwise the document declares nothing.
 */
function unansweredReason({ answer, response, node }: DocumentOperation): string {
  if (answer !== undefined) return 'it answers with what has no type in the model';
  const statuses = members(member(node, 'responses')).map(([status]) => status);
  const isEmpty = statuses.some((status) => /^20[45]$/.test(status)) && !statuses.includes('200');
  const isOther = members(member(response, 'content')).length > 0;
  if (isEmpty) return 'it answers with nothing';
  return isOther ? 'it answers with no JSON' : 'the document does not say what it answers with';
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
    const named = texts(list).map((name) => [name, partNamed(callable.parameters, name)] as const);
    const missing = named.flatMap(([name, parameter]) => (parameter === undefined ? [name] : []));
    const parameters = callable.parameters.filter((each) => named.some(([, found]) => found === each));
    if (missing.length > 0) {
      source.report('error', list.pointer, `The operation has no such parameters: ${quote(missing)}`);
    }
    return { ...callable, parameters: parameters.map((parameter) => ({ ...parameter, optional: false })) };
  });
}

const VERBS: Readonly<Record<DocumentOperation['method'], string>> = {
  get: 'Get',
  post: '',
  put: 'Set',
  patch: 'Update',
  delete: 'Delete',
};

/**
 * Names for a function or action, the best first: the one that `x-odata` gives; for a bound one the end
 * of its path with a verb, then all of its path, then its parameters too; else the operation's id.
 */
function callableNames(
  source: DocumentSource,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
  bound: BoundOperation | undefined,
): readonly string[] {
  const declared = member(settings, 'function') ?? member(settings, 'action');
  const given = text(declared);
  if (given !== undefined && isModelName(given)) return [given];
  if (declared !== undefined)
    source.report('error', declared.pointer, `${quote(declared.value)} is not a name`);
  const below = bound?.below ?? [];
  const nouns = below.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : []));
  const by = below.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
  const whole = nouns.length === 0 ? [] : [nouns.join(' ')];
  const withParameters = whole.length === 0 || by.length === 0 ? [] : [[...nouns, 'by', ...by].join(' ')];
  const written = [...nouns.slice(-1), ...whole, ...withParameters];
  const names = written.flatMap((noun) => withVerb(operation, pascalCase(noun)) ?? []);
  const byId = pascalCase(operation.operationId ?? operation.id) ?? operation.id;
  return [...new Set([...names, pascalCase(operationName(source, operation)) ?? byId, byId])];
}

function withVerb({ method, siblings }: DocumentOperation, noun: string | undefined): string | undefined {
  const verb = method === 'post' && siblings.includes('get') ? 'Create' : VERBS[method];
  return noun === undefined || noun.startsWith(verb) ? noun : `${verb}${noun}`;
}

/** The binding of an operation. */
interface BoundOperation {
  readonly binding: DescribedBinding;
  readonly filled: Operation;
  /** The path below the entity's own path. */
  readonly below: readonly PathSegment[];
  /** The resource path of the entity; undefined if the callable is bound to the entity at every path. */
  readonly resource: string | undefined;
}

/** `x-odata.bound`, or the entity whose path leads to the operation's. */
function bindingOf(
  context: CallableContext,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
): BoundOperation | undefined {
  const declared = member(settings, 'bound');
  return declared === undefined
    ? placeBinding(context, operation, context.places)
    : declaredBinding(context, operation, declared);
}

function placeBinding(
  { derivation }: CallableContext,
  operation: DocumentOperation,
  places: readonly Place[],
): BoundOperation | undefined {
  const through = places.filter((place) => fillParameters(place, operation) !== undefined);
  const place = through.toSorted((a, b) => b.segments.length - a.segments.length)[0];
  if (place === undefined) return undefined;
  const parameters = fillParameters(place, operation) ?? [];
  return {
    binding: { entityType: place.entity.name, collection: false },
    filled: calling(derivation, operation, parameters),
    below: operation.segments.slice(place.segments.length),
    resource: place.resource,
  };
}

function declaredBinding(
  context: CallableContext,
  operation: DocumentOperation,
  said: DocumentNode,
): BoundOperation | undefined {
  const written = text(said) ?? '';
  const inner = /^Collection\((.+)\)$/.exec(written)?.[1];
  const plan = findPlan(context.planner, inner ?? written);
  if (plan === undefined) {
    context.derivation.source.report(
      'error',
      said.pointer,
      `${quote(written)} is not an entity type of the model`,
    );
    return undefined;
  }
  const ofType = context.places.filter(({ entity }) => entity.name === plan.name);
  const byPath = inner === undefined ? placeBinding(context, operation, ofType) : undefined;
  const binding = { entityType: plan.name, collection: inner !== undefined };
  if (byPath !== undefined) return { ...byPath, binding };
  const parameters = inner === undefined ? keyByName(plan, operation) : [];
  return {
    binding,
    filled: calling(context.derivation, operation, parameters),
    below: [],
    resource: undefined,
  };
}

/** Parameters of a bound operation, also in its query, that are named like a part of the key. */
function keyByName(plan: EntityPlan, operation: DocumentOperation): Operation['parameters'] {
  return plan.key.flatMap(({ parameter, property }) =>
    operation.parameters
      .filter(({ name }) => name === parameter || name === property.upstreamName)
      .map(({ name }) => ({ name: meshName(name), property: property.name })),
  );
}

function findPlan({ plans }: EntityPlanner, name: string): EntityPlan | undefined {
  return [...plans.values()].find((plan) => plan.name === name || componentName(plan.schema) === name);
}
