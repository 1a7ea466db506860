import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { useAPQ } from '@graphql-yoga/plugin-apq';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { type LimitsOf, REQUEST_LIMITS } from '../../contract/request-limits.ts';
import type { GraphQLPlugin } from '../context/graphql-context.ts';

/** Which documents are carried out. */
export interface DocumentOptions {
  /** Whether clients may send the hash of a document in its place once it is known. */
  readonly automatic: boolean;
  /** The only documents that are carried out, by their ids; undefined where there is no such list. */
  readonly allowed: ReadonlyMap<string, string> | undefined;
}

/** The parameter that names a document, besides Apollo's `extensions.persistedQuery.sha256Hash`. */
export const DOCUMENT_ID = 'documentId';

export function persistedDocuments({ automatic, allowed }: DocumentOptions): readonly GraphQLPlugin[] {
  // They are typed for an empty context, which theirs need not be.
  const plugins: readonly object[] =
    allowed === undefined ? (automatic ? [automaticDocuments()] : []) : [allowedDocuments(allowed)];
  return plugins;
}

/** Whoever has not signed in may have documents remembered, too: they are few bytes, and no one else's. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

function automaticDocuments(): object {
  const documents = new LRUCache<string, string>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (text, hash) => text.length + hash.length,
  });
  const store = {
    get: (hash: string) => documents.get(hash),
    set: (hash: string, text: string) => documents.set(hash, text),
  };
  // Clients take the answer for one to their operation: they send the document then.
  return useAPQ({ store, responseConfig: { forceStatusCodeOk: true } });
}

function allowedDocuments(allowed: ReadonlyMap<string, string>): object {
  return usePersistedOperations({
    getPersistedOperation: (id) => allowed.get(id) ?? null,
    extractPersistedOperationId: (params, { url }) => documentId(params, url),
    customErrors: {
      notFound: () => refusal('the id of a document that is in the list', 'another one'),
      keyNotFound: () => refusal('the id of a document that is in the list', 'none'),
      persistedQueryOnly: () => refusal('the id of a document that is in the list', 'a document'),
    },
  });
}

function documentId(
  params: GraphQLParams & { readonly [DOCUMENT_ID]?: unknown },
  url: string,
): string | null {
  const given =
    params[DOCUMENT_ID] ?? new URL(url).searchParams.get(DOCUMENT_ID) ?? hashIn(params.extensions);
  return typeof given === 'string' ? given : null;
}

function hashIn(extensions: GraphQLParams['extensions']): unknown {
  const { persistedQuery } = extensions ?? {};
  return persistedQuery?.sha256Hash;
}

/** It is the request that is wrong, and not a document of it: GraphQL over HTTP, 6.4. */
function refusal(expected: string, found: string): GraphQLError {
  const extensions = { code: 'BadRequest', http: { status: 400 } };
  return new GraphQLError(`${DOCUMENT_ID}: expected ${expected}, found ${found}.`, { extensions });
}

/** Bounds what a document may ask for, and hides the names that a misspelt one came close to. */
export function documentLimits(limits: LimitsOf<'graphql'>): readonly GraphQLPlugin[] {
  const { plugins } = new EnvelopArmor({
    maxDepth: { n: limits.depth, onReject: [refuseBy('depth')] },
    maxAliases: { n: limits.aliases, onReject: [refuseBy('aliases')] },
    maxTokens: { n: limits.tokens, onReject: [refuseBy('tokens')] },
    maxDirectives: { n: limits.directives, onReject: [refuseBy('directives')] },
    costLimit: { enabled: false },
    blockFieldSuggestion: { enabled: true },
  }).protect();
  // They are typed for an empty context, which theirs need not be.
  const contextFree: readonly object[] = plugins;
  return contextFree;
}

/** Names the variable, for whoever may move the limit. */
function refuseBy(name: keyof typeof REQUEST_LIMITS.graphql): (_: unknown, error: GraphQLError) => never {
  const limit = REQUEST_LIMITS.graphql[name].variable;
  return (_, { message }) => {
    const told = message.replace(/^Syntax Error: /, '').replace(/\.$/, '');
    throw new GraphQLError(`${told} (${limit}).`, { extensions: { code: 'BadRequest', limit } });
  };
}
