import { answerVersion, prepareCollection } from '../../../engine/read/prepare-query.ts';
import type { CollectionResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import { collectionOperations } from '../../payload/entity-links.ts';
import { writeCollection } from '../../payload/json/json.ts';
import type { PreferenceName } from '../../payload/negotiation/preference.ts';
import { appliedHeaders, dataStyle } from '../data-style.ts';
import { etagHeaders, formTag, underConditions, versionTag, withTag } from '../entity-tag.ts';
import { loadPage } from '../paging/load-page.ts';
import { nestedPages } from '../paging/nested-pages.ts';
import { pageSize, preferredSize } from '../paging/page-size.ts';
import type { PageOfAnswer } from '../paging/paging.ts';
import { changesOf, trackedPage } from '../paging/track-changes.ts';
import { success } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { shapeOf } from '../shape/entity-shape.ts';

/** Reads entities (Part 1, 11.2.6): all that the upstream has at the place, then the query options. */
export function readCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): Operation {
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared);
  const type = collection.cast ?? collection.entityType;
  const isOfPlace = collection.origin.kind === 'operations';
  const changes = changesOf(collection, options);
  return async (request, version) => {
    const { target } = request;
    const style = dataStyle(options.format, request, version);
    const first = service.paging.pageOf(target, pageSize(collection, style.preferences));
    const page = await trackedPage(service, collection, changes, first, style.preferences, request);
    const maxPageSize = style.preferences.maxPageSize ?? preferredSize(collection, page);
    const pages = nestedPages(service, target, { maxPageSize });
    const loading = { service, context: request, pages };
    const loaded = await loadPage(service, loading, collection, prepared, options, page, target);
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
      const isLast = nextLink === undefined && page.tracked !== undefined;
      const deltaLink = isLast
        ? service.root + service.deltaTokens.targetSince(target, page.tracked)
        : undefined;
      const isTold = isOfPlace && style.format.metadata === 'full';
      const told = isTold ? service.visibleTo(request.principal) : undefined;
      const operations = told && collectionOperations(told, type, collection);
      const control = { count, operations, nextLink, deltaLink };
      const { budget } = request;
      const body = await budget.run(writeCollection(shape(style), rows, control, budget));
      const headers = appliedHeaders(style.preferences, honoured(page));
      return success(version, style.contentType, body, headers);
    });
    return withTag(answer, tag);
  };
}

function honoured({ tracked }: PageOfAnswer): readonly PreferenceName[] {
  return ['maxpagesize', 'omit-values', ...(tracked === undefined ? [] : (['track-changes'] as const))];
}
