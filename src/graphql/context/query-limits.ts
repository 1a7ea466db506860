import type { LimitsOf, RequestLimits } from '../../contract/request-limits.ts';

/** Of a document, and of what its answer comes to. */
export type GraphQLLimits = Pick<RequestLimits, 'graphql' | 'url' | 'budget'>;

/** Of what the arguments and selections of a document come to: those that OData's query options have. */
export interface QueryLimits {
  readonly url: LimitsOf<'url'>;
  readonly query: { readonly nodes: number; readonly budget: LimitsOf<'budget'> };
  readonly budget: LimitsOf<'budget'>;
}

/** A query may come to so many times what one of its arguments may be. */
const USES = 10;

export function queryLimits({ url, budget }: GraphQLLimits): QueryLimits {
  return { url, budget, query: { nodes: USES * url.nodes, budget } };
}
