import type { GraphQLField, GraphQLNamedType, GraphQLSchema } from 'graphql';
import type { Model } from '../model/edm.ts';
import { embeddedDemands } from './embedded-demands.ts';
import { type Demand, fieldDemands } from './field-demands.ts';
import { calledOperation } from './relations/add-relations.ts';

/** What a field demands: nothing, where it shows a property of its object; undefined, where the model has no such. */
export type DemandsOf = (
  parent: GraphQLNamedType,
  field: GraphQLField<unknown, unknown>,
) => readonly Demand[] | undefined;

export function demandsByField(schema: GraphQLSchema, model: Model): DemandsOf {
  const ofOperations = fieldDemands(model);
  const ofEmbedded = embeddedDemands(schema, model);
  return (parent, field) => {
    const operation = isRootType(parent) ? field.name : calledOperation(field);
    if (operation === undefined) return ofEmbedded.get(`${parent.name}.${field.name}`) ?? [];
    const needed = ofOperations.get(operation);
    return needed && [needed];
  };
}

function isRootType(type: GraphQLNamedType): boolean {
  return type.name === 'Query' || type.name === 'Mutation' || type.name === 'Subscription';
}
