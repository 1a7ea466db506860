import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { BatchForm } from '../../../payload/batch/batch-format.ts';
import { type BatchItem, type BatchRequest, malformedBatch } from '../../../payload/batch/batch-request.ts';
import { partTarget, type ServicePlace } from '../../../payload/batch/part-url.ts';
import { readJsonBatch } from '../../../payload/batch/read-json.ts';
import { readMultipartBatch } from '../../../payload/batch/read-multipart.ts';
import { demandNoCoding } from '../../../payload/negotiation/content-coding.ts';
import type { Service } from '../../service/service.ts';

/** The items of a batch, their URLs being targets below the service root. What cannot be read at all is told before anything is sent. */
export function readBatch(
  form: BatchForm,
  outer: BudgetedRequest,
  { root, limits }: Pick<Service, 'root' | 'limits'>,
): readonly BatchItem[] {
  const { body = new Uint8Array(), headers } = outer;
  const { requests } = limits.batch;
  demandNoCoding(headers);
  const items =
    form === 'json'
      ? readJsonBatch(body, requests)
      : readMultipartBatch(body, headers['content-type'] ?? '', requests);
  const place = { root, host: headers['host'] };
  const admit = (request: BatchRequest): BatchRequest => {
    demandNoOtherCredentials(request, headers);
    return withTarget(request, place);
  };
  return items.map((item) => {
    if (item.kind === 'request') return { ...item, request: admit(item.request) };
    return { ...item, requests: item.requests.map(admit) };
  });
}

/** A URL that is none of the service's is the failure of its request alone (Part 1, 11.7). */
function withTarget(request: BatchRequest, place: ServicePlace): BatchRequest {
  try {
    const url = partTarget(request, place);
    if (isBatch(url)) throw malformedBatch(request.place, 'no batch in a batch', '$batch');
    return { ...request, url };
  } catch (error) {
    if (error instanceof GatewayError) return { ...request, refusal: error };
    throw error;
  }
}

const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'] as const;

/**
 * A batch is carried out for whoever has sent it: parts have no credentials (Part 1, 11.7.7.1). Clients that repeat
 * the batch's own in each part are let through; others would act as somebody they do not mean to be.
 */
function demandNoOtherCredentials({ headers, place }: BatchRequest, outer: BudgetedRequest['headers']): void {
  const name = CREDENTIALS.find((each) => headers[each] !== undefined && headers[each] !== outer[each]);
  if (name !== undefined) throw malformedBatch(place, 'no credentials but those of the batch', name);
}

const BATCH = /^\/(?:\$|%24)batch\/?(?:\?|$)/;

/** Encoded letters name it, too. */
function isBatch(target: string): boolean {
  return BATCH.test(target.replace(/%[4-7][\da-f]/gi, decodeURIComponent));
}
