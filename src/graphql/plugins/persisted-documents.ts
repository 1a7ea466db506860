import type { Plugin } from '@envelop/core';
import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { useAPQ } from '@graphql-yoga/plugin-apq';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import {
  type ASTVisitor,
  GraphQLError,
  getEnterLeaveForKind,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { type LimitsOf, REQUEST_LIMITS } from '../../core/request-limits.ts';
import { isInputObject } from '../../engine/input/mistakes.ts';
import { type GraphQLPlugin, type Input, withoutInherited } from '../context/graphql-context.ts';

/** The documents that are executed. */
export interface DocumentOptions {
  /** True if clients may send the hash of a known document instead of its text. */
  readonly automatic: boolean;
  /** The only allowed documents, by id; undefined if all are allowed. */
  readonly allowed: ReadonlyMap<string, string> | undefined;
}

/**
 * The parameter with the id of a document, in addition to Apollo's `extensions.persistedQuery.sha256Hash`.
 */
export const DOCUMENT_ID = 'documentId';

/** A document with the other parameters of its request. */
export interface RequestedText {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Input;
}

/** Finds the documents of requests. */
export interface Documents {
  /** The plugins that replace ids by documents, and reject those that are not allowed. */
  readonly plugins: readonly GraphQLPlugin[];
  /** The document of the parameters; undefined if a plugin has to store or reject it. */
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

/** Returns the document in the parameters, or the one whose id they or the target contain. */
type FindDocument = (params: Input, target: string) => unknown;

function documentsOf(plugins: readonly object[], find: FindDocument): Documents {
  return {
    // The types require an empty context, but the plugins accept any.
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
    const requested = isAbsent(params['query']) ? documentId(params, target) : null;
    return requested === null ? undefined : allowed.get(requested);
  };
}

/** A document with a hash is left to the plugin, which verifies and stores it. */
function findAutomatic(remembered: LRUCache<string, string>): FindDocument {
  return ({ query, extensions }) => {
    const { version, sha256Hash: hash } = persistedQuery(extensions);
    if (version !== 1 || typeof hash !== 'string') return query;
    return isAbsent(query) ? remembered.get(hash) : undefined;
  };
}

/** Anonymous clients may register documents, too, because they are small and contain no data. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

function automaticDocuments(remembered: LRUCache<string, string>): object {
  const store = {
    get: (hash: string) => remembered.get(hash),
    set: (hash: string, text: string) => remembered.set(hash, text),
  };
  // Clients treat the response as one to their operation, and then send the document.
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

/** The document id of a request; `target` is its URL or query. */
function documentId(
  { [DOCUMENT_ID]: id, extensions }: { readonly [DOCUMENT_ID]?: unknown; readonly extensions?: unknown },
  target: string,
): string | null {
  const [, query] = target.split('?', 2);
  const given = id ?? new URLSearchParams(query).get(DOCUMENT_ID) ?? persistedQuery(extensions)['sha256Hash'];
  return typeof given === 'string' ? given : null;
}

/** The persisted query of Apollo's clients; empty without one. */
function persistedQuery(extensions: unknown): Input {
  const persisted = isInputObject(extensions) ? extensions['persistedQuery'] : undefined;
  return isInputObject(persisted) ? persisted : {};
}

/** The error for an invalid request, independent of its document (GraphQL over HTTP, 6.4). */
function refusal(found: string): GraphQLError {
  const extensions = { code: 'BadRequest', http: { status: 400 } };
  const message = `${DOCUMENT_ID}: expected the id of a document that is in the list, found ${found}.`;
  return new GraphQLError(message, { extensions });
}

/** Limits documents. */
export function documentLimits(limits: LimitsOf<'graphql'>): readonly GraphQLPlugin[] {
  const { plugins: aliases } = new EnvelopArmor({
    ...NOTHING,
    maxAliases: { n: limits.aliases, onReject: [refuseBy('aliases')] },
  }).protect();
  const { plugins } = new EnvelopArmor({
    maxDepth: { n: limits.depth, onReject: [refuseBy('depth')] },
    maxAliases: { enabled: false },
    maxTokens: { n: limits.tokens, onReject: [refuseBy('tokens')] },
    maxDirectives: { n: limits.directives, onReject: [refuseBy('directives')] },
    costLimit: { enabled: false },
    blockFieldSuggestion: { enabled: false },
  }).protect();
  // The types require an empty context, but the plugins accept any.
  const contextFree: readonly object[] = [...aliases.map(besidesChanges), ...plugins];
  return contextFree;
}

const NOTHING = Object.fromEntries(
  ['maxDepth', 'maxTokens', 'maxDirectives', 'costLimit', 'blockFieldSuggestion'].map((name) => [
    name,
    { enabled: false },
  ]),
);

/** Applies the rules of a plugin to operations without the aliases of changes, which need one each. */
function besidesChanges({ onValidate }: Plugin): Plugin {
  return {
    onValidate: (validation) =>
      onValidate?.({
        ...validation,
        addValidationRule: (rule: ValidationRule) =>
          validation.addValidationRule((context: ValidationContext): ASTVisitor => {
            const { enter } = getEnterLeaveForKind(rule(context), Kind.OPERATION_DEFINITION);
            return {
              OperationDefinition: (operation, ...place) => enter?.(withoutRootAliases(operation), ...place),
            };
          }),
      }),
  };
}

function withoutRootAliases(operation: OperationDefinitionNode): OperationDefinitionNode {
  if (operation.operation !== OperationTypeNode.MUTATION) return operation;
  const selections = operation.selectionSet.selections.map((selection): SelectionNode => {
    if (selection.kind !== Kind.FIELD) return selection;
    const { alias: _, ...field } = selection;
    return field;
  });
  return { ...operation, selectionSet: { ...operation.selectionSet, selections } };
}

/** Rejects with the variable of the limit, for operators. */
function refuseBy(name: keyof typeof REQUEST_LIMITS.graphql): (_: unknown, error: GraphQLError) => never {
  const limit = REQUEST_LIMITS.graphql[name].variable;
  return (_, { message }) => {
    const reason = message.replace(/^Syntax Error: /, '').replace(/\.$/, '');
    throw new GraphQLError(`${reason} (${limit}).`, { extensions: { code: 'BadRequest', limit } });
  };
}
