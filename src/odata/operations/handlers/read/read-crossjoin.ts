import type { CompiledExpand } from '../../../../engine/expand/bind-expand.ts';
import {
  expandedOf,
  type PreparedCrossjoin,
  prepareCrossjoin,
} from '../../../../engine/read/prepare-crossjoin.ts';
import { entityUrl } from '../../../../engine/resource/navigation-source.ts';
import type { CrossjoinResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { type CombinedEntity, writeCombinations } from '../../../payload/json/delta-json.ts';
import type { EntityContent } from '../../../payload/json/entity-content.ts';
import { contextUrl } from '../../../payload/negotiation/context-url.ts';
import { MEDIA_TYPES } from '../../../payload/negotiation/format.ts';
import { appliedHeaders, dataStyle, success, textType } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { contextProjection, relatedContent, resultExpansions } from '../../shape/entity-shape.ts';

/** Reads the combinations of the entities of several sets (Part 2, 4.15), as links or expanded. */
export function readCrossjoin(
  service: Service,
  crossjoin: CrossjoinResource,
  options: QueryOptions,
): RequestHandler {
  const prepared = prepareCrossjoin(service, crossjoin, options);
  const { query, expander } = prepared;
  const projection = contextProjection({}, query, expander);
  const contentOf = (expanded: CompiledExpand | undefined) =>
    expanded && relatedContent(service.model, expanded);
  const shown = crossjoin.sets.filter(prepared.isShown).map(
    (set): CombinedEntity => ({
      name: set.name,
      urlOf: entityUrl(set.name, set.entityType),
      content: contentOf(expandedOf(expander, set)),
    }),
  );
  const made = madeContent(service, prepared);
  return async (request, version) => {
    const { target } = request;
    const { format, contentType, preferences } = dataStyle(options.format, request, version);
    const page = service.paging.pageOf(target, preferences.maxPageSize);
    const loading = { service, context: request };
    const { rows: found, count } = await prepared.run(loading);
    const { rows: cut, nextLink } = service.paging.cut(found, page, target);
    const rows = await prepared.expand(loading, cut);
    const fragment = { kind: 'value', type: 'Edm.ComplexType', collection: true, projection } as const;
    const context = contextUrl(service.root, fragment, version);
    const style = { model: service.model, format, version, omit: preferences.omitValues };
    const { budget } = request;
    const combinations = { entities: shown, made, rows, control: { count, nextLink } };
    const body = await budget.run(writeCombinations(style, context, combinations, budget));
    return success(version, contentType, body, appliedHeaders(preferences, ['maxpagesize', 'omit-values']));
  };
}

/** Properties that `$compute` and `$apply` add to the combinations. */
function madeContent({ model }: Pick<Service, 'model'>, { query, type }: PreparedCrossjoin): EntityContent {
  const { results } = query;
  return {
    entityType: type,
    canonical: undefined,
    computed: query.computed,
    shown: query.selected,
    exact: false,
    counted: query.counted,
    partial: results?.transient === true,
    expanded: results === undefined ? new Map() : resultExpansions(model, results),
  };
}

/** Reads the number of matching combinations, as plain text for any Accept (Part 1, 11.2.10). */
export function countCrossjoin(
  service: Service,
  crossjoin: CrossjoinResource,
  { top: _, skip: __, orderBy: ___, select: ____, expand: _____, ...options }: QueryOptions,
): RequestHandler {
  const { run } = prepareCrossjoin(service, crossjoin, options);
  return async (request, version) => {
    const { rows } = await run({ service, context: request });
    const type = textType(MEDIA_TYPES.text, options.format, request);
    return success(version, type, String(rows.length));
  };
}
