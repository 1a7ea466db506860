import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import type { BatchForm } from '../../../payload/batch/batch-format.ts';
import { jsonContentType, negotiateJson } from '../../../payload/negotiation/format.ts';
import { splitOutsideQuotes } from '../../../payload/negotiation/quoted-text.ts';
import type { ODataVersion } from '../../../payload/negotiation/version.ts';

/** What the batch says for all of its requests that do not say it themselves. */
const INHERITED = ['accept-language', 'odata-maxversion', 'odata-version', 'prefer'] as const;

/**
 * The header fields of requests that do not have them. An answer in JSON has the answers to its requests in it, so
 * that they have the format that the client asks for; other resources can be had all the same.
 */
export function partDefaults(
  { headers }: BudgetedRequest,
  formatOption: string | undefined,
  form: BatchForm,
  version: ODataVersion,
): Readonly<Record<string, string>> {
  const inherited = INHERITED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  if (form !== 'json') return Object.fromEntries(inherited);
  const format = jsonContentType(negotiateJson(formatOption, headers['accept']), version);
  return { accept: `${format}, */*;q=0.1`, ...Object.fromEntries(inherited) };
}

/** Preferences that are about the batch as a whole: its requests are not deferred (Part 1, 8.2.8.8). */
const OF_BATCH = /^\s*(?:odata\.)?(?:callback|continue-on-error|respond-async|wait)\s*(?:[=;]|$)/i;

export function partPreferences(prefer: string | undefined): Readonly<Record<string, string>> {
  if (prefer === undefined) return {};
  const own = splitOutsideQuotes(prefer, ',').filter((preference) => !OF_BATCH.test(preference));
  return { prefer: own.join(',') };
}
