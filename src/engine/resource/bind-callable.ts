import type { Arguments } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Value } from '../../contract/row.ts';
import {
  type Binding,
  type Callable,
  type CallableImport,
  type CallableParameter,
  callablesBoundTo,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Operation } from '../../model/operation.ts';
import { type ArgumentReader, argumentValue } from '../bind/argument-value.ts';
import { fittingOverload, parameterNames } from '../bind/function-calls.ts';
import type { QueryLimits } from '../scope/scope.ts';
import type { NameSegment } from '../tree/query-tree.ts';
import { primitiveLiteral } from './navigation-source.ts';
import {
  type CollectionResource,
  type EntityResource,
  type Invocation,
  notImplemented,
  unknownResource,
} from './resource.ts';

/** Parameters that are given beside the call, as query options are (Part 2, 5.3). */
export interface ImpliedParameters {
  readonly names: readonly string[];
  /** Undefined for one that is not given; a BadRequest for one that does not fit. */
  readonly valueOf: (parameter: CallableParameter, subject: string) => Value | undefined;
}

/** The sources of parameter values (Part 2, 5.3). */
interface ParameterSite extends ArgumentReader {
  readonly implied?: ImpliedParameters | undefined;
  /** The names of parameters whose values are found later. */
  readonly computed?: ReadonlyMap<string, unknown>;
}

/** The context of a resource path. */
export interface PathContext extends ParameterSite {
  readonly limits: { readonly query: QueryLimits };
}

/** The called function or action and its binding parameter. */
interface Called {
  readonly imported?: CallableImport;
  readonly entity?: EntityResource;
  readonly collection?: CollectionResource;
}

/**
 * The functions and actions of that name that are bound to the entity's or the collection's type. The name
 * may be qualified with the namespace; 4.01 does without.
 */
export function findCallables(
  name: string,
  { type, kind }: CollectionResource | EntityResource,
): readonly Callable[] {
  return callablesBoundTo(type, kind).filter(
    ({ namespace, name: own }) => own === name || `${namespace}.${own}` === name,
  );
}

/** Chooses the overload by the names of the parameters (CSDL 4.01, 12.2), and reads their values. */
export function bindCall(
  site: ParameterSite,
  overloads: readonly Callable[],
  segment: NameSegment,
  called: Called,
): Invocation {
  const { imported, entity, collection } = called;
  const callable = chooseOverload(site, overloads, segment);
  const operation = operationAt(callable, entity ?? collection);
  const owner = entity ?? collection;
  const parameters = callable.kind === 'action' ? {} : parameterValues(site, callable, segment);
  const name = segment.name + writtenParameters(callable, parameters);
  return {
    callable,
    operation,
    resource: owner?.resource ?? imported?.name ?? segment.name,
    url: owner === undefined ? name : `${owner.url}/${name}`,
    bound: entity,
    parameters,
    entitySet: resultSet(site.model, callable, imported),
  };
}

function chooseOverload(site: ParameterSite, overloads: readonly Callable[], segment: NameSegment): Callable {
  const [first] = overloads;
  if (first === undefined) throw unknownResource(segment);
  if (first.kind === 'action') {
    if (segment.arguments !== undefined && segment.arguments.length > 0) throw wrongParameters([first]);
    return first;
  }
  const given = givenNames(site, overloads, segment);
  const fitting = fittingOverload(overloads, given);
  if (fitting === undefined) throw wrongParameters(overloads);
  return fitting;
}

/** The parameter names in parentheses, or else those in query options (Part 1, 11.5.4.1.1). */
function givenNames(
  { implied }: ParameterSite,
  overloads: readonly Callable[],
  segment: NameSegment,
): readonly string[] {
  if (segment.arguments !== undefined) return segment.arguments.map(({ name }) => name ?? '');
  const known = new Set(overloads.flatMap(({ parameters }) => parameters.map(({ name }) => name)));
  return implied?.names.filter((name) => known.has(name)) ?? [];
}

function parameterValues(
  site: ParameterSite,
  callable: Callable,
  segment: NameSegment,
): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const parameter of callable.parameters) {
    const value = parameterValue(site, parameter, segment);
    if (value !== undefined) values[parameter.name] = value;
  }
  return values;
}

/** Writes parameters for a URL; complex values and collections use aliases. */
function writtenParameters({ kind, namespace, parameters }: Callable, values: Arguments): string {
  if (kind === 'action') return '';
  const written = parameters.flatMap(({ name, type, collection }) => {
    const value = values[name];
    if (value === undefined) return [];
    const isSimple = !collection && (type.kind === 'primitive' || type.kind === 'enumeration');
    const literal = isSimple ? encodeURIComponent(primitiveLiteral(namespace, type, value)) : `@${name}`;
    return [`${name}=${literal}`];
  });
  return `(${written.join(',')})`;
}

function parameterValue(
  site: ParameterSite,
  parameter: CallableParameter,
  segment: NameSegment,
): Value | undefined {
  if (site.computed?.has(parameter.name)) return undefined;
  const subject = `Parameter ${parameter.name}`;
  const given = segment.arguments?.find(({ name }) => name === parameter.name);
  if (given !== undefined) return argumentValue(site, parameter, given.value, subject);
  return segment.arguments === undefined ? site.implied?.valueOf(parameter, subject) : undefined;
}

/** The operation that is called for what is bound: at its own place, or wherever it is. */
function operationAt(
  { name, calls, binding }: Callable,
  owner: EntityResource | CollectionResource | undefined,
): Operation {
  const places =
    owner?.kind === 'collection'
      ? placesOfWhole(owner, binding)
      : [owner?.path, owner?.entitySet?.name, undefined];
  const call = places
    .map((path) => calls.find(({ resource }) => resource === path))
    .find((found) => found !== undefined);
  if (call === undefined) throw notImplemented(`"${name}" at this place`, name);
  return call.operation;
}

/** The places of a whole collection; nothing can be called for a part of one, as the upstream would do it for all. */
function placesOfWhole(
  { path, type, isCast, origin }: CollectionResource,
  binding: Binding | undefined,
): readonly (string | undefined)[] {
  if (origin.kind !== 'operations' || (isCast && type.name !== binding?.entityType.name)) return [];
  return origin.owner === undefined ? [path, undefined] : [path];
}

function resultSet(model: Model, { returns }: Callable, imported: CallableImport | undefined) {
  if (returns?.type.kind !== 'entity') return undefined;
  if (imported?.entitySet !== undefined) return imported.entitySet;
  const sets = [...model.entitySets.values()].filter(
    ({ entityType }) => entityType.name === returns.type.name,
  );
  return sets.length === 1 ? sets[0] : undefined;
}

function wrongParameters(overloads: readonly Callable[]): GatewayError {
  const lists = overloads.map((each) =>
    each.parameters.length === 0 ? 'no parameters' : `the parameters ${parameterNames(each)}`,
  );
  const [{ name } = { name: '' }] = overloads;
  return new GatewayError('BadRequest', `${name}: expected ${lists.join(', or ')}, each by its name.`);
}
