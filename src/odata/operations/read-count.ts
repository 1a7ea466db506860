import type { EntitySet } from '../../model/edm.ts';
import type { ListOperation } from '../../model/operation.ts';
import { demandPlainText } from '../payload/format.ts';
import { compileCount } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads how many entities of a set match (Part 1, 11.2.10), as bare text. */
export function readCount(
  service: Service,
  entitySet: EntitySet,
  operation: ListOperation,
  options: QueryOptions,
): Operation {
  const query = compileCount(service.model, entitySet.entityType, options);
  const { name: resource, entityType } = entitySet;
  const read = { resource, entityType, operation, arguments: {}, properties: query.properties };
  return async (request, version) => {
    demandPlainText(options.format, request.headers['accept']);
    const snapshot = await service.source.readCollection(read, request);
    return service.answers.answer(query.repeatable ? snapshot.version : undefined, request.target, () =>
      success(version, 'text/plain', String(query.run(snapshot.data))),
    );
  };
}
