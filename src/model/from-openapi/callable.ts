import type { Binding, Callable, CallableImport, CallableParameter, Operation } from '../operation.ts';
import type { TypeUse } from '../type-use.ts';
import type { Derivation } from './derivation.ts';
import { type DocumentNode, isTrue, items, member, text, texts } from './document-node.ts';
import type { DocumentOperation, DocumentParameter } from './document-operation.ts';
import { quote } from './document-source.ts';
import type { EntityPlan, EntityPlanner } from './entity-plan.ts';
import { answerSchema, isListWrapper, listAnswer } from './list-answer.ts';
import { meshName } from './mesh-name.ts';
import { calling } from './model-operation.ts';
import { freeName, isModelName, pascalCase } from './names.ts';
import { fillParameters, type Place } from './place.ts';
import { componentName, isObjectSchema, keyword, requiredNames, type Schema } from './schema.ts';
import { type SchemaUse, schemaUse, type TypeNames } from './schema-use.ts';
import { namedProperties } from './structural-property.ts';

/** Where functions and actions find what they need. */
export interface CallableContext {
  readonly derivation: Derivation;
  readonly types: TypeNames;
  readonly planner: EntityPlanner;
  readonly places: readonly Place[];
  /** The entity set of an entity type, by the identity of its schema. */
  readonly setOf: ReadonlyMap<string, string>;
  readonly claimCallableName: (name: string, kind: Callable['kind'], pointer: string) => string;
}

export interface CallableWithImport {
  readonly callable: Callable;
  readonly import: CallableImport | undefined;
}

/**
 * The function (GET) or action that an operation becomes when nothing else is made of it (design,
 * section 3); bound to an entity where its path leads through the entity's. None, and a finding, where
 * a parameter that must be given, or the result, has no type in the model.
 */
export function callables(
  context: CallableContext,
  operation: DocumentOperation,
): readonly CallableWithImport[] {
  const { derivation } = context;
  const settings = member(operation.node, 'x-odata');
  const kind = operation.method === 'get' && member(settings, 'action') === undefined ? 'function' : 'action';
  const bound = bindingOf(context, operation, settings);
  const wanted = callableName(derivation, operation, settings, bound);
  const returns = resultOf(context, operation, wanted ?? '');
  const filled = new Set(bound?.filled.parameters.map(({ name }) => name));
  const parameters = wanted === undefined ? undefined : parametersOf(context, operation, wanted, filled);
  if (
    wanted === undefined ||
    parameters === undefined ||
    isWithoutResult(derivation, kind, operation, returns)
  )
    return [];
  const name = context.claimCallableName(wanted, kind, operation.node.pointer);
  const callable: Callable = {
    kind,
    namespace: derivation.namespace,
    name,
    description: text(member(operation.node, 'description')) ?? text(member(operation.node, 'summary')),
    binding: bound?.binding,
    parameters,
    returns: returns?.use,
    wrappedIn: returns?.wrappedIn,
    operation: bound?.filled ?? calling(derivation, operation, []),
  };
  const overloads = overloadsOf(callable, settings);
  return overloads.map((overload, index) => ({
    callable: overload,
    import: bound === undefined && index === 0 ? importOf(context, overload, returns, operation) : undefined,
  }));
}

function isWithoutResult(
  { source }: Derivation,
  kind: Callable['kind'],
  { node, answer, response }: DocumentOperation,
  returns: Result | undefined,
): boolean {
  if (returns !== undefined || (kind === 'action' && answer === undefined)) return false;
  const media = Object.keys((member(response, 'content')?.value as object | undefined) ?? {});
  const reason =
    answer === undefined && media.length > 0
      ? `answers with ${media.join(', ')}, not with JSON`
      : 'answers with nothing that the model has a type for';
  source.report('warning', node.pointer, `The operation is left out: it ${reason}`);
  return true;
}

interface BoundOperation {
  readonly binding: Binding;
  readonly filled: Operation;
  /** The path's literal segments below the entity's own path. */
  readonly below: readonly string[];
}

/** `x-odata.bound`, or the entity whose path leads to the operation's. */
function bindingOf(
  context: CallableContext,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
): BoundOperation | undefined {
  const said = member(settings, 'bound');
  const isNamed = (member(settings, 'function') ?? member(settings, 'action')) !== undefined;
  if (said !== undefined) return saidBinding(context, operation, said);
  return isNamed ? undefined : placeBinding(context, operation, context.places);
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
  const below = operation.segments.slice(place.segments.length);
  return {
    binding: { entityType: place.entity.name, collection: false },
    filled: calling(derivation, operation, parameters),
    below: below.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : [])),
  };
}

function saidBinding(
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
      `${quote(written)} is no entity type of the model`,
    );
    return undefined;
  }
  const ofType = context.places.filter(({ entity }) => entity.name === plan.name);
  const byPath = inner === undefined ? placeBinding(context, operation, ofType) : undefined;
  const binding = { entityType: plan.name, collection: inner !== undefined };
  if (byPath !== undefined) return { ...byPath, binding };
  const parameters = inner === undefined ? keyByName(plan, operation) : [];
  return { binding, filled: calling(context.derivation, operation, parameters), below: [] };
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

const VERBS: Readonly<Record<DocumentOperation['method'], string>> = {
  get: 'Get',
  post: '',
  put: 'Set',
  patch: 'Update',
  delete: 'Delete',
};

/** `x-odata`'s name; for a bound one the end of its path with a verb; else the operation's id. */
function callableName(
  { source }: Derivation,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
  bound: BoundOperation | undefined,
): string | undefined {
  const said = member(settings, 'function') ?? member(settings, 'action');
  const given = text(said);
  if (given !== undefined && isModelName(given)) return given;
  if (said !== undefined) source.report('error', said.pointer, `${quote(said.value)} is not a name`);
  const end = bound?.below.at(-1);
  const isListed = operation.siblings.includes('get');
  const noun = end === undefined ? undefined : pascalCase(end);
  const verb = isListed && operation.method === 'post' ? 'Create' : VERBS[operation.method];
  if (noun !== undefined) return noun.startsWith(verb) ? noun : `${verb}${noun}`;
  return pascalCase(operation.operationId ?? operation.id);
}

interface Result {
  readonly use: TypeUse;
  readonly wrappedIn: string | undefined;
  readonly schema: Schema;
}

/** What the operation answers with; the entities of a wrapped list without what they are wrapped in. */
function resultOf(context: CallableContext, operation: DocumentOperation, name: string): Result | undefined {
  const { derivation, types, planner } = context;
  const schema = answerSchema(derivation, operation);
  if (schema === undefined || schema.hidden) return undefined;
  const list = listAnswer(derivation, operation);
  if (list !== undefined && isListWrapper(derivation, list) && planner.plans.has(list.item.identity)) {
    const use = typeUse(schemaUse(derivation, types, list.item, name));
    return use && { use: { ...use, collection: true }, wrappedIn: list.wrappedIn, schema: list.item };
  }
  const use = typeUse(schemaUse(derivation, types, schema, `${name} Result`));
  return use && { use, wrappedIn: undefined, schema: list?.item ?? schema };
}

function typeUse(use: SchemaUse): TypeUse | undefined {
  switch (use.kind) {
    case 'structural':
      return use.use;
    case 'embedded':
      return {
        type: { kind: 'entity', name: use.entityType },
        collection: use.collection,
        nullable: use.nullable,
        facets: {},
      };
    case 'unmapped':
      return undefined;
  }
}

/** Undefined, and a finding, where one that must be given has no type. */
function parametersOf(
  context: CallableContext,
  operation: DocumentOperation,
  name: string,
  filled: ReadonlySet<string>,
): readonly CallableParameter[] | undefined {
  const taken = new Set<string>();
  const written = [
    ...operation.parameters
      .filter((parameter) => isAsked(parameter) && !filled.has(meshName(parameter.name)))
      .map(urlParameter),
    ...bodyParameters(context, operation),
  ];
  const parameters: CallableParameter[] = [];
  for (const parameter of written) {
    const made = callableParameter(context, name, parameter, taken);
    if (made !== undefined) parameters.push(made);
    else if (!parameter.optional) return undefined;
  }
  return parameters;
}

/** Headers and cookies that need not be sent are the upstream's own affair. */
function isAsked({ in: place, required }: DocumentParameter): boolean {
  return place === 'path' || place === 'query' || (place === 'header' && required);
}

interface WrittenParameter {
  readonly upstreamName: string;
  readonly in: CallableParameter['in'];
  readonly optional: boolean;
  readonly schema: DocumentNode | undefined;
  readonly node: DocumentNode;
}

function urlParameter({ name, in: place, required, schema, node }: DocumentParameter): WrittenParameter {
  const where = place === 'query' || place === 'header' ? place : 'path';
  return { upstreamName: meshName(name), in: where, optional: !required && place !== 'path', schema, node };
}

/** The properties of an object that is sent, or the one value that is. */
function bodyParameters(
  { derivation }: CallableContext,
  operation: DocumentOperation,
): readonly WrittenParameter[] {
  const { requestBody: body } = operation;
  const schema = body && derivation.read(body);
  if (body === undefined || schema === undefined || operation.method === 'get') return [];
  if (!isObjectSchema(schema))
    return [{ upstreamName: '', in: 'body', optional: false, schema: body, node: body }];
  const required = requiredNames(schema);
  return namedProperties(derivation, schema)
    .filter((property) => !isTrue(keyword(property.schema, 'readOnly')))
    .map(({ upstreamName, node }) => ({
      upstreamName,
      in: 'body',
      optional: !required.has(upstreamName),
      schema: node,
      node,
    }));
}

function callableParameter(
  { derivation, types }: CallableContext,
  callable: string,
  { upstreamName, in: place, optional, schema: node, node: at }: WrittenParameter,
  taken: Set<string>,
): CallableParameter | undefined {
  const wanted = upstreamName === '' ? 'Value' : pascalCase(upstreamName);
  const schema = node && derivation.read(node);
  if (wanted === undefined || schema === undefined || schema.hidden) {
    derivation.source.report('warning', at.pointer, 'The parameter is left out: it has no name or no schema');
    return undefined;
  }
  const mapped = schemaUse(derivation, types, schema, `${callable} ${wanted}`);
  const use = typeUse(mapped);
  if (use === undefined) {
    const reason = mapped.kind === 'unmapped' ? mapped.reason : '';
    derivation.source.report('warning', at.pointer, `The parameter of ${callable} is left out: ${reason}`);
    return undefined;
  }
  const name = freeName(wanted, taken);
  taken.add(name);
  const description = text(member(at, 'description')) ?? text(keyword(schema, 'description'));
  return {
    ...use,
    nullable: use.nullable || (optional && !use.collection),
    name,
    upstreamName,
    in: place,
    optional,
    description,
  };
}

/** `x-odata.overloads`: lists of the names of the parameters that each overload has. */
function overloadsOf(callable: Callable, settings: DocumentNode | undefined): readonly Callable[] {
  const lists = items(member(settings, 'overloads')).map((list) =>
    texts(list).map((name) => pascalCase(name)),
  );
  if (lists.length === 0) return [callable];
  return lists.map((names) => ({
    ...callable,
    parameters: callable.parameters
      .filter(({ name }) => names.includes(name))
      .map((parameter) => ({ ...parameter, optional: false })),
  }));
}

function importOf(
  { derivation, setOf }: CallableContext,
  { name, kind }: Callable,
  returns: Result | undefined,
  operation: DocumentOperation,
): CallableImport {
  const entitySet = returns?.use.type.kind === 'entity' ? setOf.get(returns.schema.identity) : undefined;
  return {
    name: derivation.claimResourceName(name, operation.node.pointer),
    callable: name,
    kind,
    entitySet,
  };
}
