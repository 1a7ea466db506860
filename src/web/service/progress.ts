import type { ProgressStep } from '../../contract/api-report.ts';
import { gatewayUrl, requestJson } from './request.ts';

export type { ProgressStep };

/** The header that gives a request an id, by which the gateway can be asked how far it is while it lasts. */
export function progressHeader(id: string): Readonly<Record<string, string>> {
  return { 'X-Progress-Id': id };
}

/** Unlike `crypto.randomUUID`, there is this on pages without TLS, too. */
export function newProgressId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Null where the gateway does not know the request, before it has come or after it has ended. */
export async function readProgress(id: string, signal: AbortSignal): Promise<ProgressStep | null> {
  const url = gatewayUrl(`api/registry/$progress/${id}`);
  return (await requestJson<{ readonly step: ProgressStep | null }>(url, { signal })).step;
}
