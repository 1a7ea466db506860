import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { isObject } from '../../engine/input/input-value.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import type { GraphQLPlugin } from '../context/graphql-plugin.ts';
import type { Input } from '../context/questions.ts';
import { type PlainRead, type PlainSite, plainRead } from './plain-read.ts';

/** What a request asks for, as far as it can be answered without an executor. */
export interface PlainRequest {
  readonly read: PlainRead;
  readonly variables: Input;
  readonly headers: GatewayResponse['headers'];
}

/** What has become of a request: an answer; or what was wrong, for the executor to tell. */
export type PlainOutcome =
  | { readonly kind: 'answered'; readonly answer: GatewayResponse }
  | { readonly kind: 'failed'; readonly error: GatewayError }
  | { readonly kind: 'unplain' };

/** The plain reads among the documents that have been carried out before: they are valid, and within all limits. */
export interface PlainAnswers {
  /** Remembers documents when they are carried out. */
  readonly plugin: GraphQLPlugin;
  /** Remembers the header of an answer to requests with that `Accept`. */
  noteHeaders(accept: string | undefined, response: GatewayResponse): void;
  find(params: unknown, accept: string | undefined): PlainRequest | undefined;
  answer(request: PlainRequest, context: GraphQLContext): Promise<PlainOutcome>;
}

/** In characters. */
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_DOCUMENTS = 1000;
const MOST_ACCEPTS = 50;

export function createPlainAnswers(
  site: Omit<PlainSite, 'schema'>,
  schema: () => GraphQLSchema,
): PlainAnswers {
  const reads = new LRUCache<string, { readonly read: PlainRead | undefined }>({
    max: MOST_DOCUMENTS,
    maxSize: MOST_TEXT,
    sizeCalculation: (_, text) => text.length + 1,
  });
  const headersOf = new LRUCache<string, GatewayResponse['headers']>({ max: MOST_ACCEPTS });
  return {
    plugin: {
      onExecute({ args: { document, contextValue } }) {
        const text = contextValue.params?.query;
        if (typeof text !== 'string' || reads.has(text)) return;
        reads.set(text, { read: plainRead({ ...site, schema: schema() }, document, text) });
      },
    },
    noteHeaders(accept = '', response) {
      if (response.status === 200) headersOf.set(accept, response.headers);
    },
    find(params, accept = '') {
      if (!isPlain(params)) return undefined;
      const read = reads.get(params.query)?.read;
      const known = headersOf.get(accept);
      if (read === undefined || known === undefined) return undefined;
      return { read, variables: params.variables ?? {}, headers: known };
    },
    async answer({ read, variables, headers }, context) {
      try {
        return { kind: 'answered', answer: { ...(await read.answer(context, variables)), headers } };
      } catch (error) {
        return error instanceof GatewayError ? { kind: 'failed', error } : { kind: 'unplain' };
      }
    },
  };
}

interface PlainParams {
  readonly query: string;
  readonly variables?: Input | null;
}

/** A document in full, which names no operation and has nothing beside its variables. */
function isPlain(params: unknown): params is PlainParams {
  if (!isObject(params) || typeof params['query'] !== 'string') return false;
  const { variables } = params;
  if (variables !== undefined && variables !== null && !isObject(variables)) return false;
  return Object.keys(params).every((name) => name === 'query' || name === 'variables');
}
