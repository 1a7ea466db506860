import { BREAK, type DocumentNode, type GraphQLSchema, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Permissions } from '../contract/permissions.ts';
import type { Principal } from '../contract/principal.ts';
import type { Model } from '../model/edm.ts';
import { grantedRoles } from '../model/resource-grants.ts';
import type { GraphQLPlugin } from './context.ts';
import type { DemandsOf } from './demands.ts';
import { demand, refusal } from './permissions.ts';
import { visibleSchema } from './visible-schema.ts';

export interface IntrospectionOptions {
  readonly schema: GraphQLSchema;
  readonly model: Model;
  readonly permissions: Permissions;
  readonly demandsOf: DemandsOf;
}

const MOST_SETS_OF_ROLES = 100;

/**
 * Has documents that ask for the schema answered by what of it their user may use. One schema is made for each
 * set of roles that the grants tell apart, when it is first asked for.
 */
export function useVisibleIntrospection(options: IntrospectionOptions): GraphQLPlugin {
  const known = grantedRoles(options.model);
  const schemas = new LRUCache<string, GraphQLSchema>({ max: MOST_SETS_OF_ROLES });
  return {
    onExecute({ args }) {
      const { principal } = args.contextValue.call;
      if (principal.kind === 'unrestricted' || !asksForSchema(args.document)) return;
      const held = principal.kind === 'user' ? known.filter((role) => principal.roles.includes(role)) : [];
      const key = JSON.stringify(held);
      const made = schemas.get(key) ?? schemaFor(options, { kind: 'user', id: '', roles: held });
      schemas.set(key, made);
      args.schema = made;
    },
  };
}

function schemaFor(
  { schema, permissions, demandsOf }: IntrospectionOptions,
  principal: Principal,
): GraphQLSchema {
  return visibleSchema(
    schema,
    (parent, field) =>
      refusal(() => demand(permissions, principal, field.name, demandsOf(parent, field))) === undefined,
  );
}

const asking = new WeakMap<DocumentNode, boolean>();

/** Whether a document asks for the schema or one of its types, wherever in it. */
export function asksForSchema(document: DocumentNode): boolean {
  const known = asking.get(document) ?? findIntrospection(document);
  asking.set(document, known);
  return known;
}

function findIntrospection(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field({ name }) {
      if (name.value !== '__schema' && name.value !== '__type') return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}
