import { loadValue } from '../../../../engine/load/load-value.ts';
import { refuseAllBut } from '../../../../engine/query/options.ts';
import type { ValueResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { rawValue } from '../../../payload/json/raw-value.ts';
import { etagHeaders, underConditions } from '../../protocol/entity-tag.ts';
import { noContent, success } from '../../protocol/response.ts';
import { mediaTypeOf, UNTRUSTED_CONTENT_HEADERS } from '../../protocol/untrusted-content-headers.ts';
import type { RequestHandler, Service } from '../../service/service.ts';

/**
 * Reads a primitive value as it is, without JSON around it (Part 1, 11.2.4.1). A media type may be one that browsers
 * run.
 */
export function readRawValue(service: Service, value: ValueResource, options: QueryOptions): RequestHandler {
  refuseAllBut(options, ['format', 'schemaVersion'], 'a raw value');
  const mediaType = mediaTypeOf(value.mediaType);
  const headers = mediaType === undefined ? {} : UNTRUSTED_CONTENT_HEADERS;
  return async (request, version) => {
    const { data, tag } = await loadValue({ service, context: request }, value);
    if (data === null) return underConditions(request, noContent(version, etagHeaders(tag)));
    const { contentType, body } = rawValue(value.use, data, mediaType);
    return underConditions(request, success(version, contentType, body, { ...headers, ...etagHeaders(tag) }));
  };
}
