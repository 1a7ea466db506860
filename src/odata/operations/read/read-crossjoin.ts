import { contextUrl } from '../../payload/context-url.ts';
import { entityUrl } from '../../payload/entity-url.ts';
import { type CombinedEntity, writeCombinations } from '../../payload/json/combinations-json.ts';
import type { QueryOptions } from '../../url/tree.ts';
import { appliedHeaders, dataStyle } from '../data-style.ts';
import type { CrossjoinResource } from '../resource/resource.ts';
import { success } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { prepareCrossjoin } from './prepare-crossjoin.ts';

/** Reads the combinations of the entities of several sets (Part 2, 4.15): links to them, or what is expanded. */
export function readCrossjoin(
  service: Service,
  crossjoin: CrossjoinResource,
  options: QueryOptions,
): Operation {
  const prepared = prepareCrossjoin(service, crossjoin, options);
  const { expander } = prepared;
  const expand = expander?.projection ?? [];
  const shown = crossjoin.sets.filter(prepared.isShown).map(
    (set): CombinedEntity => ({
      name: set.name,
      urlOf: entityUrl(set.name, set.entityType),
      content: expander?.content.get(set.name),
    }),
  );
  return async (request, version) => {
    const { target } = request;
    const { format, contentType, preferences } = dataStyle(options.format, request, version);
    const page = service.paging.pageOf(target, preferences.maxPageSize);
    const loading = { service, context: request };
    const { rows: found, count } = await prepared.run(loading);
    const { rows: cut, nextTarget } = service.paging.cut(found, page, target);
    const rows = await prepared.expand(loading, cut);
    const fragment = { kind: 'value', type: 'Edm.ComplexType', collection: true } as const;
    const context = contextUrl(
      service.root,
      { ...fragment, projection: { select: undefined, expand } },
      version,
    );
    const style = { model: service.model, format, version, omit: preferences.omitValues };
    const nextLink = nextTarget && `${service.root}${nextTarget}`;
    const body = writeCombinations(style, context, shown, rows, { count, nextLink });
    return success(version, contentType, body, appliedHeaders(preferences, ['maxpagesize', 'omit-values']));
  };
}

/** Reads how many combinations match, as bare text whatever Accept says (Part 1, 11.2.10). */
export function countCrossjoin(
  service: Service,
  crossjoin: CrossjoinResource,
  { top: _, skip: __, orderBy: ___, select: ____, expand: _____, ...options }: QueryOptions,
): Operation {
  const { run } = prepareCrossjoin(service, crossjoin, options);
  return async (request, version) => {
    const { rows } = await run({ service, context: request });
    return success(version, 'text/plain', String(rows.length));
  };
}
