import { type GraphQLNamedType, type GraphQLSchema, isScalarType, printType } from 'graphql';
import { GatewayError } from '../contract/gateway-error.ts';

/** A source's own schema, before it is merged with the others'. */
export interface SourceSchema {
  readonly source: string;
  readonly schema: GraphQLSchema;
}

/**
 * Refuses sources that bring the same names into the mesh. Mesh merges types of the same name into one and
 * lets the last of several operations win: a source would then answer with another one's data.
 */
export function refuseNameConflicts(schemas: readonly SourceSchema[]): void {
  const conflicts = [...operationConflicts(schemas), ...typeConflicts(schemas)];
  if (conflicts.length === 0) return;
  const cause = new Error(conflicts.join('; '));
  throw new GatewayError('InternalError', `The sources cannot be served together: ${cause.message}.`, {
    cause,
  });
}

function operationConflicts(schemas: readonly SourceSchema[]): string[] {
  const owners = new Map<string, string>();
  const conflicts: string[] = [];
  for (const { source, schema } of schemas) {
    for (const name of operationNames(schema)) {
      const owner = owners.get(name);
      if (owner !== undefined) conflicts.push(`${owner} and ${source} both have the operation ${name}`);
      owners.set(name, source);
    }
  }
  return conflicts;
}

function typeConflicts(schemas: readonly SourceSchema[]): string[] {
  const owners = new Map<string, { readonly source: string; readonly text: string }>();
  const conflicts: string[] = [];
  for (const { source, schema } of schemas) {
    for (const type of ownTypes(schema)) {
      const text = printType(type);
      const known = owners.get(type.name);
      if (known !== undefined && known.text !== text) {
        conflicts.push(`${known.source} and ${source} have different types named ${type.name}`);
      }
      owners.set(type.name, { source, text });
    }
  }
  return conflicts;
}

function rootTypes(schema: GraphQLSchema) {
  return [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null);
}

function operationNames(schema: GraphQLSchema): string[] {
  return rootTypes(schema).flatMap((root) =>
    Object.keys(root.getFields()).map((field) => `${root.name}.${field}`),
  );
}

function ownTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const roots: readonly GraphQLNamedType[] = rootTypes(schema);
  return Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isScalarType(type) && !roots.includes(type),
  );
}
