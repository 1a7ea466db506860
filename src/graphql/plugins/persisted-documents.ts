import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { useAPQ } from '@graphql-yoga/plugin-apq';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type LimitsOf, REQUEST_LIMITS } from '../../core/request-limits.ts';
import { isInputObject } from '../../engine/input/mistakes.ts';
import { type GraphQLPlugin, type Input, withoutInherited } from '../context/graphql-context.ts';

/** Which documents are carried out. */
export interface DocumentOptions {
  /** Whether clients may send the hash of a document in its place once it is known. */
  readonly automatic: boolean;
  /** The only documents that are carried out, by their ids; undefined where there is no such list. */
  readonly allowed: ReadonlyMap<string, string> | undefined;
}

/** The parameter that names a document, besides Apollo's `extensions.persistedQuery.sha256Hash`. */
export const DOCUMENT_ID = 'documentId';

/** A document that is carried out, and what a request says beside it. */
export interface RequestedText {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Input;
}

/** Which documents requests ask for. */
export interface Documents {
  /** The plugins that put a document in the place of its id, and refuse those that are not carried out. */
  readonly plugins: readonly GraphQLPlugin[];
  /** The document that the parameters name; undefined where the plugins have something to remember or to refuse. */
  find(params: unknown, target: string): RequestedText | undefined;
}

export function createDocuments({ automatic, allowed }: DocumentOptions): Documents {
  if (allowed !== undefined) return documentsOf([allowedDocuments(allowed)], findAllowed(allowed));
  if (!automatic) return documentsOf([], ({ query }) => query);
  const remembered = new LRUCache<string, string>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (text, hash) => text.length + hash.length,
  });
  return documentsOf([automaticDocuments(remembered)], findAutomatic(remembered));
}

/** The member of the parameters that is a document, or the document that they or the target have the id of. */
type FindDocument = (params: Input, target: string) => unknown;

function documentsOf(plugins: readonly object[], find: FindDocument): Documents {
  return {
    // They are typed for an empty context, which theirs need not be.
    plugins,
    find: (params, target) =>
      isInputObject(params) ? requestedText(params, find(params, target)) : undefined,
  };
}

function requestedText(params: Input, query: unknown): RequestedText | undefined {
  const { operationName, variables, extensions } = params;
  if (typeof query !== 'string') return undefined;
  if (!isAbsent(operationName) && typeof operationName !== 'string') return undefined;
  if (!isAbsent(variables) && !isInputObject(variables)) return undefined;
  if (!isAbsent(extensions) && !isInputObject(extensions)) return undefined;
  if (!Object.keys(params).every((name) => PARAMS.has(name))) return undefined;
  const own = withoutInherited(variables ?? {}) as Input;
  return { query, operationName: operationName ?? undefined, variables: own };
}

const PARAMS: ReadonlySet<string> = new Set([
  'query',
  'operationName',
  'variables',
  'extensions',
  DOCUMENT_ID,
]);

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function findAllowed(allowed: ReadonlyMap<string, string>): FindDocument {
  return (params, target) => {
    const asked = isAbsent(params['query']) ? documentId(params, target) : null;
    return asked === null ? undefined : allowed.get(asked);
  };
}

/** A document with its hash is remembered by the plugin, which looks whether they belong together. */
function findAutomatic(remembered: LRUCache<string, string>): FindDocument {
  return ({ query, extensions }) => {
    const { version, sha256Hash: hash } = persistedQuery(extensions);
    if (version !== 1 || typeof hash !== 'string') return query;
    return isAbsent(query) ? remembered.get(hash) : undefined;
  };
}

/** Whoever has not signed in may have documents remembered, too: they are few bytes, and no one else's. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

function automaticDocuments(remembered: LRUCache<string, string>): object {
  const store = {
    get: (hash: string) => remembered.get(hash),
    set: (hash: string, text: string) => remembered.set(hash, text),
  };
  // Clients take the answer for one to their operation: they send the document then.
  return useAPQ({ store, responseConfig: { forceStatusCodeOk: true } });
}

function allowedDocuments(allowed: ReadonlyMap<string, string>): object {
  return usePersistedOperations({
    getPersistedOperation: (id) => allowed.get(id) ?? null,
    extractPersistedOperationId: (params, { url }) => documentId(params, url),
    customErrors: {
      notFound: () => refusal('another one'),
      keyNotFound: () => refusal('none'),
      persistedQueryOnly: () => refusal('a document'),
    },
  });
}

/** The id that a request names its document by; `target` is its URL, or what of it has the query. */
function documentId(
  { [DOCUMENT_ID]: id, extensions }: { readonly [DOCUMENT_ID]?: unknown; readonly extensions?: unknown },
  target: string,
): string | null {
  const [, query] = target.split('?', 2);
  const given = id ?? new URLSearchParams(query).get(DOCUMENT_ID) ?? persistedQuery(extensions)['sha256Hash'];
  return typeof given === 'string' ? given : null;
}

/** What Apollo's clients send in the place of a document; empty where there is nothing of the kind. */
function persistedQuery(extensions: unknown): Input {
  const persisted = isInputObject(extensions) ? extensions['persistedQuery'] : undefined;
  return isInputObject(persisted) ? persisted : {};
}

/** The error for a request that is wrong itself, whatever its document is (GraphQL over HTTP, 6.4). */
function refusal(found: string): GraphQLError {
  const extensions = { code: 'BadRequest', http: { status: 400 } };
  const message = `${DOCUMENT_ID}: expected the id of a document that is in the list, found ${found}.`;
  return new GraphQLError(message, { extensions });
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
