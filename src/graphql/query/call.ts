import type { Value } from '../../contract/row.ts';
import { loadValue } from '../../engine/load/load-value.ts';
import { bindCall } from '../../engine/resource/bind-callable.ts';
import { resultResource } from '../../engine/resource/navigation-source.ts';
import {
  type CollectionResource,
  type EntityResource,
  type Invocation,
  notImplemented,
} from '../../engine/resource/resource.ts';
import type { Argument, Expression } from '../../engine/tree/query-tree.ts';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import type { Callable, CallableImport, TypeUse } from '../../model/edm.ts';
import { type GraphQLContext, givenUnder, type Input, isGiven } from '../context/graphql-context.ts';
import type { ShownAs } from '../context/members.ts';
import { fieldName } from '../context/names.ts';
import { kindsOf, type ShownModel } from '../context/schema-names.ts';
import { list, literal, NULL } from './expressions.ts';
import { readConnection, readList, readOneOrNone, type Selection } from './read.ts';

/** The overloads of a function or action, and their binding parameter. */
export interface Called {
  readonly overloads: readonly Callable[];
  readonly imported?: CallableImport;
  readonly entity?: EntityResource;
  readonly collection?: CollectionResource;
}

/** Selects the overload by the given arguments, like OData by parameters. */
export function boundCall(
  shown: ShownModel,
  { service }: GraphQLContext,
  called: Called,
  args: Input,
): Invocation {
  const { overloads, ...owner } = called;
  const name = called.imported?.name ?? called.overloads[0]?.name ?? '';
  const isAction = overloads[0]?.kind === 'action';
  const given = isAction ? [] : givenArguments(shown, overloads, args);
  const site = { model: service.model, aliases: new Map(), limits: service.limits };
  return bindCall(site, overloads, { kind: 'name', name, arguments: given, position: 0 }, owner);
}

/** The form of a collection that a function returns, and its arguments. */
interface ShownResult {
  readonly shownAs: ShownAs;
  readonly args: Input;
}

/** The result of a function. */
export async function callFunction(
  context: GraphQLContext,
  call: Invocation,
  { shownAs, args }: ShownResult,
  below: () => Selection,
): Promise<unknown> {
  const result = resultResource(call);
  switch (result.kind) {
    case 'collection': {
      const read = shownAs === 'list' ? readList : readConnection;
      return read(context, result, args, below());
    }
    case 'entity':
      return readOneOrNone(context, result, below());
    case 'value': {
      const { data } = await loadValue({ service: context.service, context: context.call }, result);
      return data;
    }
    case 'stream':
      throw notImplemented('A stream as the result of a function in GraphQL', call.callable.name);
  }
}

/** The arguments of the collection, except names that are parameters of the function. */
export function ownArguments({ overloads }: Called, args: Input): Input {
  const parameters = new Set(
    overloads.flatMap(({ parameters }) => parameters.map(({ name }) => fieldName(name))),
  );
  return Object.fromEntries(Object.entries(args).filter(([name]) => !parameters.has(name)));
}

function givenArguments(shown: ShownModel, overloads: readonly Callable[], args: Input): readonly Argument[] {
  const parameters = new Map(
    overloads.flatMap(({ parameters: all }) => all.map((parameter) => [parameter.name, parameter])),
  );
  return [...parameters.values()].flatMap((parameter) => {
    const value = givenUnder(args, fieldName(parameter.name));
    if (value === undefined) return [];
    return [{ name: parameter.name, value: valueExpression(shown, parameter, value), position: 0 }];
  });
}

type Use = Pick<TypeUse, 'type' | 'collection'>;

function valueExpression(shown: ShownModel, { type, collection }: Use, value: unknown): Expression {
  if (value === null) return NULL;
  if (collection) {
    return list(
      (value as readonly unknown[]).map((item) => valueExpression(shown, { type, collection: false }, item)),
    );
  }
  if (type.kind === 'primitive') return literal(type.name, value as Value);
  if (type.kind === 'enumeration')
    return literal('Edm.String', Array.isArray(value) ? value.join() : String(value));
  const input = value as Input;
  const kinds = kindsOf(shown, type);
  const kind = [...(kinds ?? [])].find(([name]) => isGiven(givenUnder(input, name)));
  if (kind === undefined) return objectExpression(shown, type, input);
  return objectExpression(shown, kind[1], givenUnder(input, kind[0]) as Input);
}

function objectExpression(shown: ShownModel, type: ModelType, value: Input): Expression {
  const inputs = shown.names.inputsOf(type);
  const members = Object.entries(value).flatMap(([name, each]) => {
    const member = inputs.get(name);
    // The engine rejects undeclared properties.
    if (member?.kind === 'dynamic') return Object.keys(each ?? {}).map((own) => ({ name: own, value: NULL }));
    if (member?.kind !== 'property') return [];
    return [{ name: member.property.name, value: valueExpression(shown, member.property, each) }];
  });
  return { kind: 'object', members, position: 0 };
}
