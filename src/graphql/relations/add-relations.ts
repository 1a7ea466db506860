import {
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
} from 'graphql';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Model } from '../../model/edm.ts';
import type { GraphQLContext } from '../context.ts';
import { findRelations, type Relation } from './find-relations.ts';
import { relatedCallsByRequest } from './related-calls.ts';

/** Where a field has the operation that it calls: it demands what the operation's own root field does. */
const OPERATION = 'operation';

/** The operation that a field other than a root field calls; undefined for a property of its object. */
export function calledOperation({ extensions }: GraphQLField<unknown, unknown>): string | undefined {
  const operation = extensions[OPERATION];
  return typeof operation === 'string' ? operation : undefined;
}

/**
 * Adds fields to the types of the schema, in place, that lead to related data: `book { author { last_name } }`.
 * A property of the same name comes first. One request makes at most so many calls for them.
 */
export function addRelations(schema: GraphQLSchema, model: Model, callLimit: number): void {
  const callsOf = relatedCallsByRequest(callLimit);
  for (const relation of findRelations(schema, model)) {
    const fields = relation.owner.getFields();
    if (!Object.hasOwn(fields, relation.name)) fields[relation.name] = relationField(relation, callsOf);
  }
}

type CallsOf = ReturnType<typeof relatedCallsByRequest>;

function relationField(relation: Relation, callsOf: CallsOf): GraphQLField<unknown, unknown> {
  const { name, description, target, filled } = relation;
  return {
    name,
    description: description ?? target.description,
    type: typeOf(relation),
    // The others are the client's to give: `author { books(genre: crime) { title } }`.
    args: target.args.filter((argument) => !filled.has(argument.name)),
    resolve: resolverOf(relation, callsOf),
    deprecationReason: undefined,
    extensions: { [OPERATION]: target.name },
    astNode: undefined,
  };
}

/** Null where it fails, so that the rest of the answer is there. */
function typeOf({ target, list }: Relation): GraphQLOutputType {
  return getNullableType((list ?? target).type);
}

type Arguments = Readonly<Record<string, unknown>>;
type Resolver = NonNullable<GraphQLField<unknown, unknown>['resolve']>;

function resolverOf(relation: Relation, callsOf: CallsOf): Resolver {
  const { target, collection, wrappedIn } = relation;
  const nothing = collection ? [] : null;
  return async (parent, args: Arguments, context, info) => {
    const filled = filledArguments(relation, parent as Arguments);
    if (filled === undefined) return nothing;
    const given = { ...args, ...filled };
    const { call, budget } = context as GraphQLContext;
    const key = `${stateOf(info)} ${target.name} ${JSON.stringify(given, exactText)}`;
    try {
      const answer = await callsOf(call).result(key, async () => target.resolve?.({}, given, context, info));
      const related = wrappedIn.reduce((held, name) => (held as Arguments | null)?.[name], answer);
      // One call may answer for many: what they show is as much as if each had called.
      budget.chargeRows(Array.isArray(related) ? related.length : 1);
      return related;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'NotFound') return nothing;
      throw error;
    }
  };
}

/** Mutations run one after the other, and each may change what is related. */
function stateOf({ operation, path }: GraphQLResolveInfo): string {
  if (operation.operation !== 'mutation') return '';
  let root = path;
  while (root.prev !== undefined) root = root.prev;
  return String(root.key);
}

/** Undefined where the value leads nowhere: a foreign key that is null, or left out of a create's answer. */
function filledArguments({ filled }: Relation, parent: Arguments): Arguments | undefined {
  const entries = [...filled].map(([argument, property]) => [argument, parent[property]] as const);
  const isComplete = entries.every(([, value]) => value !== null && value !== undefined);
  return isComplete ? Object.fromEntries(entries) : undefined;
}

function exactText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
