import { BREAK, type DocumentNode, type ExecutionArgs, type GraphQLSchema, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { PreparationTimes } from '../../contract/preparation-times.ts';
import type { Principal } from '../../contract/principal.ts';
import { madeOnce } from '../../model/maps.ts';
import type { Model } from '../../model/model.ts';
import type { GraphQLPlugin } from '../context/graphql-context.ts';
import type { ShownModel } from '../context/schema-names.ts';
import { buildSchema } from '../schema/build-schema.ts';
import { isWritten, type WrittenResult } from './written-results.ts';

interface IntrospectionOptions {
  readonly shown: ShownModel;
  readonly visibleTo: (principal: Principal) => Model;
}

/** Bytes of written schemas that are kept, each for the users with the same rights. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/**
 * Answers introspection with the schema of the part of the model that the caller may see, the same as in OData.
 * The plugin follows the one that writes results, and keeps what that has written of a schema alone.
 */
export function useVisibleIntrospection({ shown, visibleTo }: IntrospectionOptions): GraphQLPlugin {
  const schemas = new WeakMap<Model, Promise<GraphQLSchema>>();
  const times = new PreparationTimes();
  const written = new LRUCache<string, string>({
    maxSize: MOST_BYTES,
    sizeCalculation: (text, key) => 2 * (text.length + key.length),
  });
  const numberOf = numbering();
  const keyOf = (model: Model, { document, operationName, variableValues }: ExecutionArgs): string =>
    JSON.stringify([numberOf(model), numberOf(document), operationName, variableValues]);
  const schemaOf = (model: Model, principal: Principal): Promise<GraphQLSchema> =>
    madeOnce(schemas, model, () => {
      const schema = times.prepareInTurns(principal, buildSchema({ ...shown, model }));
      // One that a user's time did not suffice for is made by the next request.
      schema.catch(() => schemas.delete(model));
      return schema;
    });
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      if (!asksForSchema(args.document)) return undefined;
      const { principal } = args.contextValue.call;
      const model = visibleTo(principal);
      const key = asksForSchemaAlone(args.document) ? keyOf(model, args) : undefined;
      const known = key === undefined ? undefined : written.get(key);
      if (known !== undefined) {
        const result: WrittenResult = { stringify: () => known };
        setResultAndStopExecution(result);
        return undefined;
      }
      if (model !== shown.model) args.schema = await schemaOf(model, principal);
      if (key === undefined) return undefined;
      return {
        onExecuteDone({ result }) {
          if (!isWritten(result) || result.errors !== undefined) return;
          written.set(key, result.stringify(result));
        },
      };
    },
  };
}

/** Numbers objects, each with the same one every time. */
function numbering(): (object: object) => number {
  const numbers = new WeakMap<object, number>();
  let last = 0;
  return (object) => {
    last += 1;
    const number = numbers.get(object) ?? last;
    numbers.set(object, number);
    return number;
  };
}

/** Whether a document asks for no data, so that equal variables have equal answers. */
function asksForSchemaAlone({ definitions }: DocumentNode): boolean {
  return definitions.every(
    (definition) =>
      definition.kind !== Kind.OPERATION_DEFINITION ||
      definition.selectionSet.selections.every(
        (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
      ),
  );
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
