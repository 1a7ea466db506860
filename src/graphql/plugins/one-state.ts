import { getOperationAST, OperationTypeNode } from 'graphql';
import type { GraphQLPlugin } from '../context/graphql-plugin.ts';

/** Has equal reads of a query made once. A mutation reads what there is after each of its changes. */
export function useOneState(): GraphQLPlugin {
  return {
    onExecute({ args: { document, operationName, contextValue }, extendContext }) {
      const operation = getOperationAST(document, operationName)?.operation;
      if (operation === OperationTypeNode.QUERY) extendContext({ call: { ...contextValue.call, query: {} } });
    },
  };
}
