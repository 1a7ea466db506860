import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { batchForm, negotiateBatchForm } from '../../../payload/batch/batch-format.ts';
import { writeJsonBatch } from '../../../payload/batch/write-json.ts';
import { writeMultipartBatch } from '../../../payload/batch/write-multipart.ts';
import { parsePreferences } from '../../../payload/negotiation/preference.ts';
import { appliedHeaders } from '../../protocol/data-style.ts';
import { success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { partDefaults } from './part-defaults.ts';
import { readBatch } from './read-batch.ts';
import { runItems } from './run-items.ts';

/**
 * Carries out the requests of a batch (Part 1, 11.7). Each goes the way of a request that comes alone; a batch
 * that cannot be read as a whole is refused as a whole, and everything else is the matter of its requests. Where
 * the client has no preference, one in the JSON form goes on after a failure (JSON Format, 19.4), and one in the
 * multipart form ends with it (Part 1, 11.7.7.5).
 */
export function runBatch(service: Service, { format }: QueryOptions): RequestHandler {
  return async (outer, version) => {
    const { headers } = outer;
    const requested = batchForm(headers['content-type']);
    const form = negotiateBatchForm(format, headers['accept'], requested, version);
    const items = readBatch(requested, outer, service);
    const defaults = partDefaults(outer, format, form, version);
    const preferences = parsePreferences(headers['prefer']);
    const { continueOnError } = preferences;
    const goesOn = continueOnError ?? requested === 'json';
    const answers = await runItems({ service, outer, defaults }, items, goesOn);
    const { contentType, body } = form === 'json' ? writeJsonBatch(answers) : writeMultipartBatch(answers);
    const applied = continueOnError === undefined ? {} : appliedHeaders(preferences, ['continue-on-error']);
    return success(version, contentType, body, applied);
  };
}
