import { requireCollection } from '../../../../engine/load/load.ts';
import { answerVersion, prepareCollection, prepareCount } from '../../../../engine/read/prepare-query.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { Expression, QueryOptions, SearchExpression } from '../../../../engine/tree/query-tree.ts';
import type { ListForm } from '../../../payload/formats/list-format.ts';
import { collectionOperations } from '../../../payload/json/entity-links.ts';
import { MEDIA_TYPES } from '../../../payload/negotiation/format.ts';
import type { PreferenceName } from '../../../payload/negotiation/preference.ts';
import type { CountResource } from '../../bind/resource.ts';
import {
  changesOf,
  loadPage,
  nestedPages,
  pageSize,
  preferredSize,
  trackedPage,
} from '../../paging/load-page.ts';
import { appliedHeaders, listStyle, textType } from '../../protocol/data-style.ts';
import { etagHeaders, formTag, underConditions, versionTag, withTag } from '../../protocol/entity-tag.ts';
import { success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { shapeOf } from '../../shape/entity-shape.ts';
import type { PageOfAnswer } from '../../tokens/paging.ts';

/** Reads entities (Part 1, 11.2.6): all that the upstream has at the place, then the query options. */
export function readCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): RequestHandler {
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared);
  const { type } = collection;
  const name = collection.entitySet?.name ?? type.name;
  const isOfPlace = collection.origin.kind === 'operations';
  const changes = changesOf(collection, options);
  return async (request, version) => {
    const { target } = request;
    const style = listStyle(options.format, request, version);
    const { list } = style;
    const isWhole = list.extension !== undefined && style.preferences.maxPageSize === undefined;
    const size = isWhole ? undefined : pageSize(collection, style.preferences);
    const first = service.paging.pageOf(target, size);
    const page = await trackedPage(service, collection, changes, first, style.preferences, request);
    const maxPageSize = style.preferences.maxPageSize ?? preferredSize(collection, page);
    const pages = isWhole ? undefined : nestedPages(service, target, { maxPageSize });
    const loading = { service, context: request, pages };
    const read = isWhole && options.top === undefined ? 'list' : 'page';
    const loaded = await loadPage(service, loading, collection, prepared, options, page, target, read);
    const { snapshot } = loaded;
    const kept = answerVersion(prepared, snapshot);
    const tag = page.tracked === undefined ? formTag(versionTag(kept), style) : undefined;
    const known = underConditions(request, success(version, style.contentType, '', etagHeaders(tag)));
    if (known.status === 304) return known;
    const answer = await service.answers.answer(kept, `${target} ${style.key}`, async () => {
      const { rows: found, count } = await prepared.run(loading, snapshot);
      const { rows: shown, nextTarget } = loaded.cut(found);
      const rows = await prepared.expand(loading, shown);
      const nextLink = nextTarget && `${service.root}${nextTarget}`;
      const applied = appliedHeaders(style.preferences, honoured(page));
      const isLast = nextLink === undefined && page.tracked !== undefined;
      const deltaLink = isLast
        ? service.root + service.deltaTokens.targetSince(target, page.tracked)
        : undefined;
      const isTold = isOfPlace && style.format.metadata === 'full';
      const told = isTold ? service.visibleTo(request.principal) : undefined;
      const operations = told && collectionOperations(told, type, collection);
      const control = { count, operations, nextLink, deltaLink };
      const body = await list.write({ shape: shape(style), rows, control, name }, request.budget);
      return success(version, style.contentType, body, { ...applied, ...fileHeaders(list, name, nextLink) });
    });
    return withTag(answer, tag);
  };
}

/** What a file has beside it: its name (RFC 6266), and where the rest is (RFC 8288). */
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

/** Reads how many entities match, as bare text whatever Accept says of the type (Part 1, 11.2.10). */
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

/** The options with what the segment itself says: both must be true of what is counted. */
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
