import type { Row } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { EntitySet } from '../../model/edm.ts';
import type { Operation as ModelOperation } from '../../model/operation.ts';
import { entityUrl } from '../payload/entity-url.ts';
import { jsonContentType, negotiateJson } from '../payload/format.ts';
import { writeEntity } from '../payload/json.ts';
import { compileEntityQuery } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { operationArguments } from './operation-arguments.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';
import { shapeOf } from './shape.ts';

/** Reads one entity by its key (Part 1, 11.2.2). */
export function readEntity(
  service: Service,
  entitySet: EntitySet,
  operation: ModelOperation,
  key: Row,
  options: QueryOptions,
): Operation {
  const query = compileEntityQuery(service.model, entitySet.entityType, options);
  const read = {
    resource: entitySet.name,
    entityType: entitySet.entityType,
    operation,
    arguments: operationArguments(operation, [key]),
    properties: query.properties,
  };
  const shape = shapeOf(service, entitySet, options, query, true);
  return async (request, version) => {
    const format = negotiateJson(options.format, request.headers['accept']);
    const contentType = jsonContentType(format, version);
    const snapshot = await service.source.readEntity(read, request);
    if (snapshot === undefined) throw missing(entitySet, key);
    return service.answers.answer(
      query.repeatable ? snapshot.version : undefined,
      `${request.target} ${contentType}`,
      () =>
        success(version, contentType, writeEntity({ ...shape, format, version }, query.run(snapshot.data))),
    );
  };
}

function missing(entitySet: EntitySet, key: Row): GatewayError {
  return new GatewayError(
    'NotFound',
    `There is no ${decodeURIComponent(entityUrl(entitySet.name, entitySet.entityType, key))}.`,
  );
}
