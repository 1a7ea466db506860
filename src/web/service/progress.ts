import type { ProgressStep } from '../../contract/api-report.ts';
import { gatewayUrl, requestJson } from './request.ts';

export type { ProgressStep };

/** The header with an id for querying the progress of a request. */
export function progressHeader(id: string): Readonly<Record<string, string>> {
  return { 'X-Progress-Id': id };
}

/** Unlike `crypto.randomUUID`, works on pages without TLS. */
export function newProgressId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Null before the request has arrived and after it has ended. */
export async function readProgress(id: string, signal: AbortSignal): Promise<ProgressStep | null> {
  const url = gatewayUrl(`api/registry/$progress/${id}`);
  return (await requestJson<{ readonly step: ProgressStep | null }>(url, { signal })).step;
}
