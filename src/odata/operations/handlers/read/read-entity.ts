import { stateTag } from '../../../../engine/load/entity-state.ts';
import { assertNavigation, loadEntity } from '../../../../engine/load/load.ts';
import { answerVersion, isAboutRowsOnly, prepareEntity } from '../../../../engine/read/prepare-query.ts';
import type { EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { etagProperty } from '../../../../model/edm.ts';
import { writeEntity } from '../../../payload/json/json.ts';
import type { PreferenceName } from '../../../payload/negotiation/preference.ts';
import {
  appliedHeaders,
  assertMatch,
  dataStyle,
  etagHeaders,
  formTag,
  noContent,
  success,
  taggedRow,
  underConditions,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { entityShapeOf } from '../../shape/entity-shape.ts';
import { nestedPages } from './read-collection.ts';

/** Reads one entity (Part 1, 11.2.2); 204 if a single-valued navigation property is null (11.2.4). */
export function readEntity(service: Service, entity: EntityResource, options: QueryOptions): RequestHandler {
  const prepared = prepareEntity(service, entity, options);
  const shape = entityShapeOf(service, entity, options, prepared);
  const etag = etagProperty(entity.type);
  // The entity's tag does not cover expanded data.
  const isOfEntity = prepared.expander === undefined && isAboutRowsOnly(prepared.query);
  const honoured: readonly PreferenceName[] =
    prepared.expander === undefined ? ['omit-values'] : ['maxpagesize', 'omit-values'];
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const pages = prepared.expander && nestedPages(service, request.target, style.preferences);
    const loading = { service, context: request, pages };
    const snapshot = await loadEntity(loading, entity, prepared.wanted);
    if (snapshot === undefined) {
      await assertNavigation(loading, entity);
      return noContent(version);
    }
    const tag = stateTag(snapshot, etag);
    const data = answerVersion(prepared, snapshot);
    // The upstream may send different tags for the same data.
    const kept = data === undefined ? undefined : `${data} ${tag}`;
    const answer = await service.answers.answer(kept, `${request.target} ${style.key}`, async () => {
      const row = taggedRow(await prepared.run(loading, snapshot.data), tag, entity);
      const headers = { ...appliedHeaders(style.preferences, honoured), ...etagHeaders(formTag(tag, style)) };
      const body = await request.budget.run(writeEntity(shape(style), row, request.budget));
      return success(version, style.contentType, body, headers);
    });
    if (isOfEntity) return underConditions(request, answer, tag);
    assertMatch(request, tag);
    return answer;
  };
}
