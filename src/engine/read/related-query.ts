import type { Row } from '../../contract/row.ts';
import { CONCURRENT_CALLS, mapConcurrently } from '../../core/work.ts';
import type { Model } from '../../model/model.ts';
import { preparePrefetch } from '../load/attach-related.ts';
import { keyValues, requireCollection } from '../load/load.ts';
import { type CompiledQuery, compileQuery } from '../pipeline/compile-query.ts';
import { isLiteral, needsOf } from '../plan/needs-of-query.ts';
import { isOneOf, type RelatedTerm, relatedTerms } from '../plan/related-conditions.ts';
import { conjuncts, readsFrom } from '../query/pipeline.ts';
import type {
  KeyedQuery,
  LoadContext,
  LoadedCollection,
  LoadRequest,
  RelatedCondition,
  RelatedQuery,
} from '../resource/load-context.ts';
import { collectionOf } from '../resource/navigation-source.ts';
import type { AcceptRows, ReadNeeds } from '../resource/read-needs.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { QueryLimits } from '../scope/scope.ts';
import type { Expression, QueryOptions, Transformation } from '../tree/query-tree.ts';

type Options = Omit<QueryOptions, 'expand'>;

/** The context for compiling query options. */
interface Site {
  readonly model: Model;
  readonly limits: { readonly query: QueryLimits };
}

/** Compiles a query, as a request for it would be. */
type Prepare = (
  site: Site,
  collection: CollectionResource,
  options: QueryOptions,
) => {
  readonly wanted: LoadRequest;
  readonly run: (
    loading: LoadContext,
    loaded: LoadedCollection,
  ) => Promise<{ readonly rows: readonly Row[] }>;
};

/** The conditions that a sequence of transformations begins with. */
export function conditionsBefore(apply: readonly Transformation[]): readonly Transformation[] {
  const end = apply.findIndex(({ kind }) => kind !== 'filter' && kind !== 'search');
  return end < 0 ? apply : apply.slice(0, end);
}

/** The options that leave out entities before anything else is done with them. */
export function conditionsAlone({ aliases, filter, search, apply }: Options): Options {
  if (apply !== undefined) return { aliases, apply: conditionsBefore(apply) };
  return { aliases, ...(filter && { filter }), ...(search && { search }) };
}

/**
 * The conditions of a query on entities of other sets; undefined without any, and where the whole list is needed all the
 * same.
 */
export function relatedQuery(
  site: Site,
  collection: CollectionResource,
  options: Options,
  { roots, calls }: Pick<CompiledQuery, 'roots' | 'calls'>,
  prepare: Prepare,
): RelatedQuery | undefined {
  const { origin, type, isCast } = collection;
  const isListed = origin.kind === 'operations' && !isCast && !isLiteral(collection);
  const isPlain = roots.length === 0 && calls.length === 0;
  if (!isListed || !isPlain || readsFrom('$these', options)) return undefined;
  if (options.compute !== undefined && options.apply === undefined) return undefined;
  const { model, limits } = site;
  const conditions = compileQuery(model, type, conditionsAlone(options), limits.query);
  if (conditions.related.size === 0) return undefined;
  const terms = relatedTerms(model, collection, filterOf(options), options.aliases);
  const queries = new Map(
    together(terms).map((term) => {
      const query = keysQuery(site, options.aliases, term, prepare);
      return [
        relatedCondition(site, collection, term, { aliases: options.aliases, needs: query.needs }),
        { term, query },
      ] as const;
    }),
  );
  return {
    conditions: [...queries.keys()],
    accept: acceptBy(model, collection, conditions),
    async ask(loading, chosen) {
      const found = chosen.flatMap((condition) => queries.get(condition) ?? []);
      const keyed = await mapConcurrently(found, CONCURRENT_CALLS, async ({ term, query }) => {
        return { term, keys: await query.keys(loading) };
      });
      return keyedQuery(site, collection, options, keyed, loading);
    },
  };
}

/** The filter of the entities, also that of `$apply`. */
function filterOf({ aliases, filter, apply }: Options): Expression | undefined {
  const before = apply && conditionsBefore(apply);
  const predicates = before?.flatMap((each) => (each.kind === 'filter' ? [each.predicate] : [])) ?? [filter];
  const all = predicates.flatMap((each) => (each === undefined ? [] : conjuncts(resolved(aliases, each))));
  return allOf(all);
}

function resolved(aliases: Options['aliases'], expression: Expression): Expression {
  return expression.kind === 'alias' ? (aliases.get(expression.name) ?? expression) : expression;
}

function allOf(terms: readonly Expression[]): Expression | undefined {
  return terms.reduce<Expression | undefined>(
    (left, right) =>
      left === undefined ? right : { kind: 'binary', operator: 'and', position: left.position, left, right },
    undefined,
  );
}

/** A condition on entities of one other set, which several terms of a filter may be. */
type JoinedTerms = Omit<RelatedTerm, 'term'> & { readonly terms: readonly Expression[] };

/** Terms about the same single entity are one condition; of several entities, each term may be met by another one. */
function together(terms: readonly RelatedTerm[]): readonly JoinedTerms[] {
  const single = Map.groupBy(
    terms.filter(({ navigation }) => !navigation.collection),
    ({ navigation }) => navigation,
  );
  return [
    ...terms.flatMap(({ term, ...each }) => (each.navigation.collection ? [{ ...each, terms: [term] }] : [])),
    ...[...single.values()].flatMap((each): readonly JoinedTerms[] => {
      const [first] = each;
      const filter = allOf(each.map((one) => one.filter));
      if (first === undefined || filter === undefined) return [];
      return [
        { navigation: first.navigation, pair: first.pair, filter, terms: each.map(({ term }) => term) },
      ];
    }),
  ];
}

interface KeysQuery {
  readonly needs: ReadNeeds | undefined;
  /** The keys of the related entities that meet the condition. */
  readonly keys: (loading: LoadContext) => Promise<ReadonlySet<string>>;
}

function keysQuery(
  site: Site,
  aliases: Options['aliases'],
  { navigation: { target }, pair: { related }, filter }: JoinedTerms,
  prepare: Prepare,
): KeysQuery {
  if (target === undefined) throw new Error('A related set was expected.');
  const collection = collectionOf(target);
  const select = [{ path: [related], options: undefined, position: filter.position }];
  const prepared = prepare(site, collection, { aliases, filter, select });
  return {
    needs: prepared.wanted.needs,
    async keys(loading) {
      const loaded = await requireCollection(loading, collection, prepared.wanted);
      const { rows } = await prepared.run(loading, loaded);
      return new Set(rows.flatMap((row) => keyValues(row[related] ?? null)).map(String));
    },
  };
}

function relatedCondition(
  { model, limits }: Site,
  { type }: CollectionResource,
  { navigation, pair, terms }: JoinedTerms,
  { aliases, needs }: Pick<Options, 'aliases'> & Pick<KeysQuery, 'needs'>,
): RelatedCondition {
  const { target, entityType, name, collection } = navigation;
  if (target?.list === undefined) throw new Error('A listed set was expected.');
  const filter = allOf(terms);
  const { run } = compileQuery(model, type, { aliases, ...(filter && { filter }) }, limits.query);
  const { list, page, read } = target;
  return {
    name: target.name,
    entityType,
    operations: { list, page, read },
    needs,
    own: pair.own,
    async isOfRelated({ context: { budget } }) {
      if (collection) return true;
      const { rows } = await budget.run(run(budget, [{ [name]: null }]));
      return rows.length === 0;
    },
  };
}

/** Selects rows by their related entities, and leaves them as they are. */
function acceptBy(
  model: Model,
  collection: CollectionResource,
  conditions: CompiledQuery,
): RelatedQuery['accept'] {
  const prefetch = preparePrefetch(model, collection, conditions);
  return async (loading, given) => {
    const { budget } = loading.context;
    const plain = await budget.rows(given);
    const attached = await prefetch(loading, plain);
    const whole = await budget.rows(attached.rows);
    const { rows } = await budget.run(conditions.run(budget, whole, attached.roots));
    const before = new Map(whole.map((row, index) => [row, plain[index] ?? row]));
    return rows.map((row) => before.get(row) ?? row);
  };
}

interface KeyedTerms {
  readonly term: JoinedTerms;
  readonly keys: ReadonlySet<string>;
}

/** The query with conditions on the keys of related entities in the place of those on the entities. */
function keyedQuery(
  { model, limits }: Site,
  collection: CollectionResource,
  options: Options,
  keyed: readonly KeyedTerms[],
  loading: LoadContext,
): KeyedQuery {
  const { entityType, type } = collection;
  const { aliases } = options;
  const done = new Set(keyed.flatMap(({ term }) => term.terms));
  const filter = filterOf(options);
  const left = filter === undefined ? [] : conjuncts(filter).filter((term) => !done.has(term));
  const conditions = compileQuery(
    model,
    type,
    conditionsAlone(withFilter(options, allOf(left))),
    limits.query,
  );
  const acceptRest = acceptBy(model, collection, conditions);
  const joining = { ...loading, seen: { found: new Map(), sets: new Map(), calls: 0 } };
  const accept: AcceptRows = async (budget, rows) => {
    const found = (await budget.rows(rows)).filter((row) =>
      keyed.every(({ term, keys }) =>
        keyValues(row[term.pair.own] ?? null).some((key) => keys.has(String(key))),
      ),
    );
    return acceptRest(joining, found);
  };
  const oneOf = keyed.flatMap(({ term, keys }) => {
    const condition = isOneOf(entityType, term.pair.own, [...keys], term.filter.position);
    // Too many keys narrow nothing; the terms that stay say that the list has entities that are not wanted.
    return condition === undefined ? term.terms : [condition];
  });
  const about = withFilter(options, allOf([...left, ...oneOf]));
  const needs = needsOf({ model, aliases }, collection, about, { accept, completed: [] });
  const pushed = needs.pushed && { ...needs.pushed, ...ALL_PAGES };
  const isEmpty = keyed.some(({ keys }) => keys.size === 0);
  return { needs: { ...needs, pushed, isWritten: false }, accept, isEmpty };
}

/** The query as a whole applies its page. */
const ALL_PAGES = { part: undefined, isPaged: false, isCounted: false, goesOn: false };

/** The options with another filter of the entities. */
function withFilter({ filter: _, apply, ...options }: Options, filter: Expression | undefined): Options {
  if (apply === undefined) return { ...options, ...(filter && { filter }) };
  const before = conditionsBefore(apply);
  const searches = before.filter(({ kind }) => kind === 'search');
  const filters =
    filter === undefined ? [] : [{ kind: 'filter', predicate: filter, position: filter.position } as const];
  return { ...options, apply: [...filters, ...searches, ...apply.slice(before.length)] };
}
