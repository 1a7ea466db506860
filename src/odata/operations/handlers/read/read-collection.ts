import type { RowSink } from '../../../../contract/entity-source.ts';
import type { Principal } from '../../../../contract/principal.ts';
import { type Row, rowsBetween } from '../../../../contract/row.ts';
import type { BoundExpand, CompiledRelated, NestedPages } from '../../../../engine/expand/bind-expand.ts';
import { requireCollection } from '../../../../engine/load/load.ts';
import { mayComeInPages, type OpenedList, openList } from '../../../../engine/load/row-portions.ts';
import { readsFrom } from '../../../../engine/query/pipeline.ts';
import {
  answerVersion,
  loadSelectedPage,
  loadUpstreamPage,
  type PreparedCollection,
  pagePlan,
  prepareCollection,
  prepareCount,
  wantedUpTo,
} from '../../../../engine/read/prepare-query.ts';
import type { LoadContext, LoadedCollection, LoadSink } from '../../../../engine/resource/load-context.ts';
import type { CollectionResource, EntityResource } from '../../../../engine/resource/resource.ts';
import type {
  ExpandItem,
  Expression,
  QueryOptions,
  SearchExpression,
} from '../../../../engine/tree/query-tree.ts';
import type { ListForm } from '../../../payload/formats/list-format.ts';
import { collectionOperations } from '../../../payload/json/entity-links.ts';
import { MEDIA_TYPES } from '../../../payload/negotiation/format.ts';
import type { PreferenceName, Preferences } from '../../../payload/negotiation/preference.ts';
import { findOptionRule } from '../../../url/request-target.ts';
import type { CountResource } from '../../bind/resource.ts';
import { bodyOfPieces } from '../../protocol/portions.ts';
import {
  appliedHeaders,
  assertMatch,
  etagHeaders,
  formTag,
  listStyle,
  success,
  textType,
  underConditions,
  versionTag,
  withTag,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { canonicalUrl, shapeOf } from '../../shape/entity-shape.ts';
import { type CutPage, outdatedSkipToken, type PageOfAnswer } from '../../tokens/paging.ts';
import { presentStates, trackedFeeds, writeStates } from './tracked-feeds.ts';

/** Reads entities (Part 1, 11.2.6): all from the upstream, then the query options. */
export function readCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): RequestHandler {
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared);
  const { type } = collection;
  const name = collection.entitySet?.name ?? type.name;
  const isCounting = options.count === true;
  const isOfPlace = collection.origin.kind === 'operations';
  const feeds = collection.entitySet?.changes && trackedFeeds(collection, options, prepared);
  return async (request, version) => {
    const { target } = request;
    const style = listStyle(options.format, request, version);
    const { list } = style;
    const isWhole = list.extension !== undefined && style.preferences.maxPageSize === undefined;
    const size = isWhole ? undefined : pageSize(collection, style.preferences);
    const first = service.paging.pageOf(target, size);
    const isTracked = feeds !== undefined && style.preferences.trackChanges && first.offset === 0;
    const page = isTracked
      ? { ...first, tracked: writeStates(await presentStates(service, feeds, request)) }
      : first;
    const maxPageSize = style.preferences.maxPageSize ?? preferredSize(collection, page);
    const pages = isWhole ? undefined : nestedPages(service, target, { maxPageSize });
    const loading = { service, context: request, pages };
    const form = isWhole && options.top === undefined ? 'list' : 'page';
    const isPart = size !== undefined || page.from !== undefined || page.tracked !== undefined;
    const { runPortions } = prepared;
    const writer =
      runPortions && request.mayBreakOff === true && !isPart ? list.portionWriter?.(shape(style)) : undefined;
    const controlOf = (principal: Principal) => {
      const hasLinks = isOfPlace && style.format.metadata === 'full';
      const visible = hasLinks ? service.visibleTo(principal) : undefined;
      return { operations: visible && collectionOperations(visible, type, collection) };
    };
    const read = { collection, prepared, options, page, target, form } as const;
    // The number of entities stands before them.
    const sink = writer && { isPaced: true, needsTotal: isCounting && list.extension === undefined };
    const loaded = await loadPage(service, loading, { ...read, sink });
    if (loaded.kind === 'portions') {
      const { portions, total, close } = loaded;
      try {
        if (runPortions === undefined || writer === undefined) throw new Error('No portions were requested.');
        // A list that is passed on while it is read has no state that a condition could name.
        assertMatch(request, undefined);
        const count = isCounting ? total : undefined;
        const control = { ...controlOf(request.principal), count };
        const write = writer({ control, name, total: lengthOf(options, total) });
        const pieces = write(runPortions(loading, portions), request.budget);
        const { body, headers } = await bodyOfPieces(pieces, request, list, close);
        const applied = appliedHeaders(style.preferences, honoured(page));
        const fields = { ...applied, ...fileHeaders(list, name, undefined), ...headers };
        return success(version, style.contentType, body, fields);
      } catch (error) {
        close();
        throw error;
      }
    }
    const { snapshot } = loaded;
    const kept = answerVersion(prepared, snapshot);
    const tag = page.tracked === undefined ? formTag(versionTag(kept), style) : undefined;
    const known = underConditions(request, success(version, style.contentType, '', etagHeaders(tag)));
    if (known.status === 304) return known;
    const answer = await service.answers.answer(kept, `${target} ${style.key}`, async () => {
      const { rows: found, count } = await prepared.run(loading, snapshot);
      const { rows: shown, nextLink } = loaded.cut(found);
      const rows = await prepared.expand(loading, shown);
      const applied = appliedHeaders(style.preferences, honoured(page));
      const isLast = nextLink === undefined && page.tracked !== undefined;
      const deltaLink = isLast ? service.deltaTokens.linkSince(target, page.tracked) : undefined;
      const control = { ...controlOf(request.principal), count, nextLink, deltaLink };
      const body = await list.write({ shape: shape(style), rows, control, name }, request.budget);
      return success(version, style.contentType, body, { ...applied, ...fileHeaders(list, name, nextLink) });
    });
    return withTag(answer, tag);
  };
}

/** The number of rows of an answer, if it is known before all of them have come. */
function lengthOf(
  { filter, search, top = Number.POSITIVE_INFINITY, skip = 0 }: QueryOptions,
  total: number | undefined,
): number | undefined {
  if (total === undefined || filter !== undefined || search !== undefined) return undefined;
  return Math.max(0, Math.min(total - skip, top));
}

/** Header fields of a file: its name (RFC 6266) and the next page (RFC 8288). */
function fileHeaders(
  { extension }: ListForm,
  name: string,
  nextLink: string | undefined,
): Readonly<Record<string, string>> {
  if (extension === undefined) return {};
  const file = `${name}.${extension}`;
  const plain = file.replaceAll(/[^\w.-]/g, '_');
  return {
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(file)}`,
    ...(nextLink !== undefined && { link: `<${nextLink}>; rel="next"` }),
  };
}

function honoured({ tracked }: PageOfAnswer): readonly PreferenceName[] {
  return ['maxpagesize', 'omit-values', ...(tracked === undefined ? [] : (['track-changes'] as const))];
}

/** Reads the number of matching entities, as plain text for any Accept (Part 1, 11.2.10). */
export function readCount(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): RequestHandler {
  const prepared = prepareCount(service, collection, options);
  return async (request, version) => {
    const loading = { service, context: request };
    const snapshot = await requireCollection(loading, collection, prepared.wanted);
    const kept = prepared.aboutRowsOnly ? snapshot.version : undefined;
    const type = textType(MEDIA_TYPES.text, options.format, request);
    return service.answers.answer(kept, `${version} ${type} ${request.target}`, async () => {
      const count = await prepared.run(loading, snapshot);
      return success(version, type, String(count));
    });
  };
}

/** Combines the options of the URL with those in the parentheses of `$count`. */
export function countOptions({ conditions }: CountResource, options: QueryOptions): QueryOptions {
  const { filter, search } = conditions;
  return {
    ...options,
    ...(filter && { filter: bothFilters(filter, options.filter) }),
    ...(search && { search: bothSearches(search, options.search) }),
  };
}

function bothFilters(left: Expression, right: Expression | undefined): Expression {
  if (right === undefined) return left;
  return { kind: 'binary', operator: 'and', position: left.position, left, right };
}

function bothSearches(left: SearchExpression, right: SearchExpression | undefined): SearchExpression {
  if (right === undefined) return left;
  return { kind: 'searchAnd', position: left.position, left, right };
}

/** The data of a response, and the function that cuts its page. */
interface LoadedPage {
  readonly kind: 'page';
  readonly snapshot: LoadedCollection;
  readonly cut: (rows: readonly Row[]) => CutPage<Row>;
}

/** A page to load. */
interface PageRead {
  readonly collection: CollectionResource;
  readonly prepared: Pick<PreparedCollection, 'wanted'>;
  readonly options: Pick<QueryOptions, 'top' | 'skip'>;
  readonly page: PageOfAnswer;
  /** The target of the request, for the next link. */
  readonly target: string;
  /** `list`: all pages together. */
  readonly form: 'page' | 'list';
  /** A long list is wanted in portions. */
  readonly sink?: Pick<RowSink, 'isPaced' | 'needsTotal'> | undefined;
}

type LoadedPortions = Extract<OpenedList, { readonly kind: 'portions' }>;

export function loadPage(
  service: Pick<Service, 'paging'>,
  loading: LoadContext,
  read: Omit<PageRead, 'sink'>,
): Promise<LoadedPage>;
export function loadPage(
  service: Pick<Service, 'paging'>,
  loading: LoadContext,
  read: PageRead,
): Promise<LoadedPage | LoadedPortions>;
/**
 * Loads a page of the response: a page of the upstream if no option needs the whole list, else a part of the
 * whole list.
 */
export async function loadPage(
  { paging }: Pick<Service, 'paging'>,
  loading: LoadContext,
  { collection, prepared, options, page, target, form, sink: requested }: PageRead,
): Promise<LoadedPage | LoadedPortions> {
  if (page.from !== undefined && page.plan !== pagePlan(collection, prepared)) throw outdatedSkipToken();
  const found =
    page.tracked === undefined && form === 'page'
      ? await loadUpstreamPage(loading, collection, prepared, options, page)
      : undefined;
  if (found !== undefined) {
    const { snapshot, next, isWhole } = found;
    if (isWhole) return { kind: 'page', snapshot, cut: (rows) => paging.cut(rows, page, target) };
    const nextLink = next && paging.onward(target, next);
    if (next === undefined || nextLink !== undefined)
      return { kind: 'page', snapshot, cut: (rows) => ({ rows, nextLink }) };
  }
  const selected =
    page.tracked === undefined && form === 'page'
      ? await loadSelectedPage(loading, collection, prepared, options, page)
      : undefined;
  if (selected !== undefined) {
    const { snapshot, cut } = selected;
    if (cut === undefined) return { kind: 'page', snapshot, cut: (rows) => paging.cut(rows, page, target) };
    const { skip, next } = cut;
    const nextLink = next && paging.onward(target, next);
    if (next === undefined || nextLink !== undefined) {
      const data = rowsBetween(snapshot.data, skip, skip + (page.size ?? Number.POSITIVE_INFINITY));
      return { kind: 'page', snapshot: { ...snapshot, data }, cut: (rows) => ({ rows, nextLink }) };
    }
  }
  // The token of the state before the first page covers the whole list.
  const wanted =
    page.tracked === undefined
      ? wantedUpTo(prepared.wanted, options, page)
      : { ...prepared.wanted, isPlain: true };
  const load = (opening: LoadContext, sink?: LoadSink) =>
    requireCollection(opening, collection, { ...wanted, sink });
  const opened =
    requested && mayComeInPages(loading, collection) ? await openList(loading, requested, load) : undefined;
  if (opened?.kind === 'portions') return opened;
  const snapshot = opened?.snapshot ?? (await load(loading));
  return { kind: 'page', snapshot, cut: (rows) => paging.cut(rows, page, target) };
}

/** The smaller page size of client and model; undefined if neither limits it. */
export function pageSize(
  { entitySet }: Pick<CollectionResource, 'entitySet'>,
  { maxPageSize = Number.POSITIVE_INFINITY }: Pick<Preferences, 'maxPageSize'>,
): number | undefined {
  const size = Math.min(maxPageSize, entitySet?.pageSize ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(size) ? size : undefined;
}

/** The page size that the client preferred for the first page, if it differs from the model's. */
function preferredSize(
  { entitySet }: Pick<CollectionResource, 'entitySet'>,
  { size }: PageOfAnswer,
): number | undefined {
  return size === entitySet?.pageSize ? undefined : size;
}

/**
 * Server-driven paging of nested collections (Part 1, 8.2.8.5 and 11.2.6.7); collections without a URL are
 * complete. `target` is that of the response; its other options are repeated in next links.
 */
export function nestedPages(
  { paging }: Pick<Service, 'paging'>,
  target: string,
  preferences: Pick<Preferences, 'maxPageSize'>,
): NestedPages {
  const queries = new Map<CompiledRelated, NestedQueryOf | undefined>();
  return {
    cut(rows, entitySet, expanded, owner) {
      const size = pageSize({ entitySet }, preferences);
      if (size === undefined || rows.length <= size) return { rows, nextLink: undefined };
      const queryOf = queries.get(expanded) ?? nestedQuery(expanded);
      queries.set(expanded, queryOf);
      const query = queryOf?.(owner);
      if (query === undefined) return { rows, nextLink: undefined };
      const own = new Set(query.options.map(nameOf));
      const all = [...query.options, ...carriedOptions(target).filter((option) => !own.has(nameOf(option)))];
      const nested = all.length === 0 ? query.path : `${query.path}?${all.join('&')}`;
      return paging.cut(rows, { offset: 0, size }, nested);
    },
  };
}

/** The query for a nested collection alone; undefined if the owner has no URL. */
type NestedQueryOf = (owner: EntityResource) => WrittenQuery | undefined;

/** Undefined if a separate request would mean something else: `$it` would be each related entity. */
function nestedQuery({
  bound,
  deeper,
  aliases,
}: Pick<CompiledRelated, 'bound' | 'deeper' | 'aliases'>): NestedQueryOf | undefined {
  const { item, type, isCast, navigation } = bound;
  if (item.form === 'count' || readsFrom('$it', item) || readsFrom('$it', aliases)) return undefined;
  const segments = [
    encodeURIComponent(navigation.name),
    ...(isCast ? [`${type.namespace}.${type.name}`] : []),
    ...(item.form === 'ref' ? ['$ref'] : []),
  ];
  const options = withLevels(item.written ?? [], deeper).map(encodeOption);
  return (owner) => {
    const url = ownerUrl(owner, bound);
    return url === undefined ? undefined : { path: `/${[url, ...segments].join('/')}`, options };
  };
}

const LEVELS = /^\$?levels=/i;
const EXPAND = /^\$?expand=/i;

/** Replaces `$levels` by the expansion that it represents on this level. */
function withLevels(written: readonly string[], deeper: readonly ExpandItem[]): readonly string[] {
  const others = written.filter((option) => !LEVELS.test(option));
  if (deeper.length === 0) return others;
  const again = deeper.map(
    ({ path, levels = 1 }) => `${path.join('/')}(${[...others, `$levels=${levels}`].join(';')})`,
  );
  const expand = others.find((option) => EXPAND.test(option));
  const items = [...(expand === undefined ? [] : [expand.replace(EXPAND, '')]), ...again];
  return [...others.filter((option) => option !== expand), `$expand=${items.join(',')}`];
}

/** The canonical URL of the owner, or else its URL in the request. */
function ownerUrl(owner: EntityResource, { navigation, owner: type }: BoundExpand): string | undefined {
  const { entitySet, entityType, known, type: own } = owner;
  const canonical = canonicalUrl(owner);
  if (canonical === undefined || !isNamed(owner)) return undefined;
  const isOfSet = entitySet !== undefined && hasPlace(navigation, entitySet.name);
  const url = isOfSet ? canonical(known) : owner.url;
  const declared = isOfSet ? entityType : own;
  return declared.navigationProperties.has(navigation.name) ? url : `${url}/${type.namespace}.${type.name}`;
}

/** Whether the entity's key is known and unique. */
function isNamed({ entityType: { key }, origin, known }: EntityResource): boolean {
  const isMember = origin.kind === 'member';
  return !(isMember && key.length === 0) && key.every((name) => (known[name] ?? null) !== null);
}

function hasPlace({ origin, name }: BoundExpand['navigation'], set: string): boolean {
  return origin.kind !== 'path' || origin.places.some(({ path }) => path === `${set}/${name}`);
}

/** A resource path relative to the service root, and percent-encoded query options. */
interface WrittenQuery {
  readonly path: string;
  readonly options: readonly string[];
}

/** Options that do not depend on the resource: format, parameter aliases, custom options. */
function carriedOptions(target: string): readonly string[] {
  const mark = target.indexOf('?');
  const options = mark < 0 ? [] : target.slice(mark + 1).split('&');
  return options.filter((option) => option !== '' && isCarried(nameOf(option)));
}

function isCarried(name: string): boolean {
  const { property } = findOptionRule(name) ?? {};
  return property === undefined || property === 'format' || property === 'schemaVersion';
}

function nameOf(option: string): string {
  const [name = ''] = option.split('=', 1);
  return decodeURIComponent(name);
}

/** `$filter=Name eq 'x'` encoded for a URL, in a form that clients do not encode again. */
function encodeOption(option: string): string {
  return encodeURIComponent(option.toWellFormed())
    .replaceAll("'", '%27')
    .replace(/%(?:24|2C|2F|3A|3D|40)/g, decodeURIComponent);
}
