import { useGraphQlJit } from '@envelop/graphql-jit';
import { type DocumentNode, Kind } from 'graphql';
import type { GraphQLPlugin } from './context.ts';
import { asksForSchema } from './introspection.ts';

/** Compiling takes as long as a few executions, so that a document which comes once is not worth it. */
const USES_BEFORE_COMPILING = 5;

/**
 * Compiles documents that come again and again. Yoga gives the same text the same node, and forgets the nodes of texts
 * that have not come for long; what was compiled of a node goes with it.
 */
export function compileHotDocuments(): GraphQLPlugin {
  const uses = new WeakMap<DocumentNode, number>();
  const isHot = (document: DocumentNode): boolean => {
    const count = (uses.get(document) ?? 0) + 1;
    uses.set(document, count);
    return count > USES_BEFORE_COMPILING && hasOneOperation(document) && !asksForSchema(document);
  };
  const compiling: object = useGraphQlJit({}, { enableIf: ({ document }) => isHot(document) });
  return compiling;
}

/** What is compiled is kept by the document alone, whichever of its operations was meant. */
function hasOneOperation({ definitions }: DocumentNode): boolean {
  return definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length === 1;
}
