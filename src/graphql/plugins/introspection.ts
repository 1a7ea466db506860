import { BREAK, type DocumentNode, type GraphQLSchema, visit } from 'graphql';
import { PreparationTimes } from '../../contract/preparation-times.ts';
import type { Principal } from '../../contract/principal.ts';
import { madeOnce } from '../../model/maps.ts';
import type { Model } from '../../model/model.ts';
import type { GraphQLPlugin } from '../context/graphql-context.ts';
import type { ShownModel } from '../context/schema-names.ts';
import { buildSchema } from '../schema/build-schema.ts';

interface IntrospectionOptions {
  readonly shown: ShownModel;
  readonly visibleTo: (principal: Principal) => Model;
}

/**
 * Has documents that ask for the schema answered by what of it their user may know of: the schema of the same part of
 * the model that OData describes to him, made when it is first asked for.
 */
export function useVisibleIntrospection({ shown, visibleTo }: IntrospectionOptions): GraphQLPlugin {
  const schemas = new WeakMap<Model, GraphQLSchema>();
  const times = new PreparationTimes();
  return {
    onExecute({ args }) {
      if (!asksForSchema(args.document)) return;
      const { principal } = args.contextValue.call;
      const model = visibleTo(principal);
      if (model === shown.model) return;
      args.schema = madeOnce(schemas, model, () =>
        times.prepare(principal, () => buildSchema({ ...shown, model })),
      );
    },
  };
}

const asking = new WeakMap<DocumentNode, boolean>();

/** Whether a document asks for the schema or one of its types, wherever in it. */
function asksForSchema(document: DocumentNode): boolean {
  return madeOnce(asking, document, () => findIntrospection(document));
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
