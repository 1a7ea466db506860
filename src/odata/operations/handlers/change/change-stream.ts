import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import type { EntityStream } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { Operation as UpstreamOperation } from '../../../../model/operation.ts';
import { mediaContent } from '../../../payload/negotiation/media-content.ts';
import { etagHeaders, noContent } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { assertStreamState, streamCall, unlessMissing } from '../read/read-stream.ts';
import { changing } from './change-context.ts';

/** Replaces the stream of an entity (Part 1, 11.4.7.2 and 11.4.8.1). */
export function replaceStream(
  service: Service,
  stream: EntityStream,
  operation: UpstreamOperation,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a change of a stream');
  return async (request, version) => {
    const loading = { service, context: request };
    const content = mediaContent(request, stream.operations.mediaTypes);
    const call = await streamCall(loading, stream.entity, operation);
    await assertStreamState(loading, stream, request);
    // The upstream may check the condition, too, which excludes changes in between.
    const { conditions } = changing(service, request);
    const { etag } = await service.source.writeStream({ ...call, ...content, conditions }, request);
    return noContent(version, etagHeaders(etag));
  };
}

/** Deletes a stream of an entity (Part 1, 11.4.8.2); a missing one is not an error. */
export function deleteStream(
  service: Service,
  stream: EntityStream,
  operation: UpstreamOperation,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a change of a stream');
  const { entity } = stream;
  return async (request, version) => {
    const loading = { service, context: request };
    const call = await streamCall(loading, entity, operation);
    await assertStreamState(loading, stream, request);
    const { conditions } = changing(service, request);
    const removed = service.source.deleteStream({ ...call, conditions }, request);
    await unlessMissing(loading, entity, removed, undefined);
    return noContent(version);
  };
}
