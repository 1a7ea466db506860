import type { EntityType } from '../../../model/edm.ts';
import { isUpdatable } from '../../../model/link-change.ts';
import type { UpdateOperation } from '../../../model/operation.ts';
import { demandJsonContent, readEntityBody } from '../../payload/body/request-body.ts';
import { writeEntity } from '../../payload/json/json.ts';
import type { QueryOptions } from '../../url/tree.ts';
import { appliedHeaders, type DataStyle, dataStyle, shownPreferences } from '../data-style.ts';
import { entityTag, etagHeaders, etagProperty, stateTag } from '../entity-tag.ts';
import { shapeOf } from '../load/entity-shape.ts';
import { demandEntity } from '../load/load.ts';
import { prepareEntity } from '../prepare-query.ts';
import type { EntityResource } from '../resource/resource.ts';
import { noContent, success } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { boundBody } from './bound-body.ts';
import { changeEntity } from './change-entity.ts';
import { createdAnswers } from './created-answer.ts';
import { refuseDeepChanges } from './deep-changes.ts';
import { insertAt, isNew } from './upsert-entity.ts';

/** Changes an entity: PATCH some of its properties (Part 1, 11.4.3), PUT all of them (11.4.4). */
export function updateEntity(
  service: Service,
  entity: EntityResource,
  operation: UpdateOperation,
  method: 'PATCH' | 'PUT',
  options: QueryOptions,
): Operation {
  const { model } = service;
  const type = entity.cast ?? entity.entityType;
  const prepared = prepareEntity(service, entity, options);
  const shape = shapeOf(service, entity, options, prepared);
  const etag = etagProperty(model, type);
  const kind = method === 'PATCH' ? 'update' : 'replace';
  const isSettable = (of: EntityType, property: string) => isUpdatable(of, operation, property);
  const answers = operation.inserts === true ? createdAnswers(service, entity, options) : undefined;
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    demandJsonContent(request.headers['content-type']);
    const read = readEntityBody(model, type, request.body, { kind, verbatim: false });
    refuseDeepChanges(read);
    if (answers !== undefined && (await isNew(service, entity, operation, request))) {
      return insertAt(service, entity, operation, { options, answers }, request, version);
    }
    const { entityType, values } = await boundBody({ service, request, isSettable }, type, read);
    const change = { method, entityType, values };
    const changed = await changeEntity(service, request, entity, operation, change, prepared.wanted);
    if (!prefersRepresentation(style, options)) {
      const applied = appliedHeaders(style.preferences, ['return']);
      return noContent(version, { ...applied, ...etagHeaders(changed && entityTag(changed, etag)) });
    }
    const loading = { service, context: request };
    const now = changed && { data: changed, version: undefined };
    const found = now ?? (await demandEntity(loading, entity, prepared.wanted));
    const shown = writeEntity(shape(style), await prepared.run(loading, found.data));
    const applied = appliedHeaders(style.preferences, shownPreferences(style.preferences));
    const headers = { ...applied, ...etagHeaders(stateTag(found, etag)) };
    return success(version, style.contentType, shown, headers);
  };
}

function prefersRepresentation({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select !== undefined || expand !== undefined || preferences.return === 'representation';
}
