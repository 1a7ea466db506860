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
  readonly schemaOf: SchemaOf;
}

/** The schema of a visible part of the model. */
export type SchemaOf = (model: Model, principal: Principal) => Promise<GraphQLSchema>;

/** Builds the schema of each visible part once, in the time of the user who first needs it. */
export function visibleSchemas(shown: ShownModel): SchemaOf {
  const schemas = new WeakMap<Model, Promise<GraphQLSchema>>();
  const times = new PreparationTimes();
  return (model, principal) =>
    madeOnce(schemas, model, () => {
      const schema = times.prepareInTurns(principal, buildSchema({ ...shown, model }));
      // A schema that exceeded a user's time is built by the next request.
      schema.catch(() => schemas.delete(model));
      return schema;
    });
}

/** Maximum bytes of cached introspection results, one per set of rights. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/**
 * Answers introspection with the schema of the visible part of the model, the same as in OData. Runs after
 * the plugin that serializes results, and caches results with the schema only.
 */
export function useVisibleIntrospection({ shown, visibleTo, schemaOf }: IntrospectionOptions): GraphQLPlugin {
  const written = new LRUCache<string, string>({
    maxSize: MOST_BYTES,
    sizeCalculation: (text, key) => 2 * (text.length + key.length),
  });
  const numberOf = numbering();
  const keyOf = (model: Model, { document, operationName, variableValues }: ExecutionArgs): string =>
    JSON.stringify([numberOf(model), numberOf(document), operationName, variableValues]);
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      if (!madeOnce(asking, args.document, () => findIntrospection(args.document))) return undefined;
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

/** Assigns a stable number to each object. */
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

/** Whether a document requests no data, so that equal variables give equal results. */
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
