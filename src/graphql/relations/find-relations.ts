import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { EntityType, Model } from '../../model/edm.ts';
import { meshName } from '../../model/from-openapi/mesh-name.ts';
import type { AnswerPath, ListOperation } from '../../model/operation.ts';
import type { NavigationProperty, StructuralProperty } from '../../model/structured-type.ts';

export type RootField = GraphQLField<unknown, unknown>;

/** A type whose values have fields. */
export type OwnerType = GraphQLObjectType | GraphQLInterfaceType;

/** How the values of a type lead to others: by the call of a root field. */
export interface Relation {
  readonly owner: OwnerType;
  readonly name: string;
  readonly description: string | undefined;
  readonly target: RootField;
  /** The arguments of the root field that the value fills, with the upstream's names of its properties. */
  readonly filled: ReadonlyMap<string, string>;
  readonly collection: boolean;
  /** The field within the answer that holds the list; undefined for a bare list. */
  readonly list: RootField | undefined;
  /** Where the answer has what the field shows. */
  readonly wrappedIn: AnswerPath;
}

/**
 * What the navigation properties of the model are in GraphQL, where one call that needs nothing but the
 * entity itself gives the related ones. Entities that stand in the entity's own JSON are there without.
 */
export function findRelations(schema: GraphQLSchema, model: Model): readonly Relation[] {
  return [...model.entityTypes.values()].flatMap((entityType) => {
    const owners = typesOf(schema, model, entityType);
    return [...entityType.navigationProperties.values()].flatMap((navigation) =>
      owners.flatMap((owner) => relationOf(schema, entityType, navigation, owner) ?? []),
    );
  });
}

function relationOf(
  schema: GraphQLSchema,
  { structuralProperties }: EntityType,
  navigation: NavigationProperty,
  owner: OwnerType,
): Relation | undefined {
  const { collection, description } = navigation;
  const operation = operationOf(navigation);
  const target = operation && schema.getQueryType()?.getFields()[operation.id];
  if (operation === undefined || target === undefined) return undefined;
  const filled = operation.parameters.map(
    ({ name, property }) => [name, fieldName(structuralProperties.get(property))] as const,
  );
  const fields = owner.getFields();
  if (filled.some(([, property]) => !Object.hasOwn(fields, meshName(property)))) return undefined;
  const { wrappedIn = [] } = operation;
  const list = fieldAlong(target.type, wrappedIn);
  if (wrappedIn.length > 0 && list === undefined) return undefined;
  const name = nameOf(navigation);
  return { owner, name, description, target, filled: new Map(filled), collection, list, wrappedIn };
}

/** The property's name upstream, where the field of the type itself shows it. */
function fieldName(property: StructuralProperty | undefined): string {
  return property?.within === undefined ? (property?.upstreamName ?? '') : '';
}

/** Undefined where a call would need the key of an entity further up, which the entity does not have. */
function operationOf({ origin, collection }: NavigationProperty): ListOperation | undefined {
  switch (origin.kind) {
    case 'embedded':
      return undefined;
    case 'link':
      return origin.operation;
    case 'path':
      return origin.places
        .map(({ list, read }) => (collection ? list : read))
        .find((operation) => operation?.parameters.every(({ up = 0 }) => up === 0));
  }
}

/** Links have names of their own; the model's names of paths begin with a capital, as fields do not. */
function nameOf({ origin, name }: NavigationProperty): string {
  return meshName(origin.kind === 'link' ? origin.name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`);
}

/** The types that values of an entity type have in GraphQL: those that the operations answer with that read it. */
function typesOf(schema: GraphQLSchema, model: Model, entityType: EntityType): readonly OwnerType[] {
  const named = readOperations(model, entityType).flatMap(({ id, wrappedIn = [] }) => {
    const answer = schema.getQueryType()?.getFields()[id]?.type;
    const inner = answer && wrappedIn.length > 0 ? fieldAlong(answer, wrappedIn)?.type : answer;
    return inner === undefined ? [] : getNamedType(inner);
  });
  const types = new Set(named.filter((type) => isObjectType(type) || isInterfaceType(type)));
  const interfaces = [...types].filter(isInterfaceType);
  const implementations = interfaces.flatMap((type) => {
    const { objects, interfaces: derived } = schema.getImplementations(type);
    return [...objects, ...derived];
  });
  return [...new Set([...types, ...implementations])];
}

function readOperations(model: Model, entityType: EntityType): readonly ListOperation[] {
  const sets = [...model.entitySets.values(), ...model.singletons.values()]
    .filter((each) => each.entityType.name === entityType.name)
    .flatMap((each) => ('list' in each ? [each.list, each.page, each.read] : [each.read]));
  const related = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .filter((navigation) => navigation.entityType === entityType.name)
    .flatMap(({ origin }) => (origin.kind === 'path' ? origin.places : []))
    .flatMap(({ list, read }) => [list, read]);
  return [...sets, ...related].filter((operation) => operation !== undefined);
}

/** The field that shows what is at a place in an answer. */
function fieldAlong(answer: GraphQLOutputType, path: AnswerPath): RootField | undefined {
  let field: RootField | undefined;
  for (const name of path) {
    const type = getNamedType(field?.type ?? answer);
    field = isObjectType(type) ? type.getFields()[meshName(name)] : undefined;
    if (field === undefined) return undefined;
  }
  return field;
}
