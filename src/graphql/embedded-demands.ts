import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { Model } from '../model/edm.ts';
import { meshName } from '../model/from-openapi/mesh-name.ts';
import type { AnswerPath } from '../model/operation.ts';
import { relatedResourceName } from '../model/resource-grants.ts';
import type { StructuredType } from '../model/structured-type.ts';
import { answers } from './answers.ts';
import type { Demand } from './field-demands.ts';

/** Fields, such as `Order.buyer`, to what whoever asks for one must be allowed. */
export type EmbeddedDemands = ReadonlyMap<string, readonly Demand[]>;

type NamedStructure = StructuredType & { readonly name: string };

interface Walk {
  readonly schema: GraphQLSchema;
  readonly model: Model;
  readonly seen: Set<string>;
  readonly demands: Map<string, Demand[]>;
}

/**
 * The demands of fields that show entities within the JSON of others: the same that OData makes for the
 * resource that these belong to, whichever call brings them.
 */
export function embeddedDemands(schema: GraphQLSchema, model: Model): EmbeddedDemands {
  const walk: Walk = { schema, model, seen: new Set(), demands: new Map() };
  for (const { operation, wrappedIn, result } of answers(model)) {
    const type = answerType(schema, operation.id, wrappedIn);
    const structured = model.entityTypes.get(result) ?? model.complexTypes.get(result);
    if (type !== undefined && structured !== undefined) visit(walk, type, structured);
  }
  return walk.demands;
}

function answerType(
  schema: GraphQLSchema,
  operation: string,
  wrappedIn: AnswerPath = [],
): GraphQLNamedType | undefined {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const [type] = roots.flatMap((root) => (root && fieldType(root, operation)) ?? []);
  return wrappedIn.reduce((outer, name) => outer && fieldType(outer, meshName(name)), type);
}

function fieldType(type: GraphQLNamedType, name: string): GraphQLNamedType | undefined {
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  const fields = type.getFields();
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return field && getNamedType(field.type);
}

/** Goes through all that values of a type may hold, in GraphQL and in the model side by side. */
function visit(walk: Walk, type: GraphQLNamedType, structured: NamedStructure): void {
  const pair = `${type.name} ${structured.name}`;
  if (walk.seen.has(pair)) return;
  walk.seen.add(pair);
  for (const narrower of narrowerTypes(walk.schema, type)) visit(walk, narrower, structured);
  for (const derived of derivedTypes(walk.model, structured)) visit(walk, type, derived);
  visitComplex(walk, type, structured);
  visitEmbedded(walk, type, structured);
}

/** The type of the object that holds something within values of a type. */
function typeWithin(type: GraphQLNamedType, holders: readonly string[] = []): GraphQLNamedType | undefined {
  return holders.reduce<GraphQLNamedType | undefined>(
    (outer, holder) => outer && fieldType(outer, meshName(holder)),
    type,
  );
}

function visitComplex(walk: Walk, type: GraphQLNamedType, { structuralProperties }: NamedStructure): void {
  for (const { upstreamName, type: use, within: holders } of structuralProperties.values()) {
    const complex = use.kind === 'complex' ? walk.model.complexTypes.get(use.name) : undefined;
    const holder = typeWithin(type, holders);
    const within = holder && fieldType(holder, meshName(upstreamName));
    if (complex !== undefined && within !== undefined) visit(walk, within, complex);
  }
}

function visitEmbedded(walk: Walk, type: GraphQLNamedType, { navigationProperties }: NamedStructure): void {
  for (const navigation of navigationProperties.values()) {
    if (navigation.origin.kind !== 'embedded') continue;
    const name = meshName(navigation.origin.upstreamName);
    const holder = typeWithin(type, navigation.origin.within);
    const within = holder && fieldType(holder, name);
    const related = walk.model.entityTypes.get(navigation.entityType);
    if (holder === undefined || within === undefined || related === undefined) continue;
    addDemand(walk.demands, `${holder.name}.${name}`, relatedResourceName(navigation));
    visit(walk, within, related);
  }
}

/** A type of GraphQL may stand for several of the model: whoever asks must be allowed all of them. */
function addDemand(demands: Map<string, Demand[]>, field: string, resource: string | undefined): void {
  const known = demands.get(field) ?? [];
  if (resource === undefined || known.some((demand) => demand.resource === resource)) return;
  demands.set(field, [...known, { resource, permission: 'View' }]);
}

function narrowerTypes(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (isUnionType(type)) return type.getTypes();
  if (!isInterfaceType(type)) return [];
  const { objects, interfaces } = schema.getImplementations(type);
  return [...objects, ...interfaces];
}

function derivedTypes(
  { entityTypes, complexTypes }: Model,
  { name }: NamedStructure,
): readonly NamedStructure[] {
  return [...entityTypes.values(), ...complexTypes.values()].filter(({ baseType }) => baseType === name);
}
