import type { DocumentFinding, Examination } from '../../contract/api-report.ts';
import { whyNotServiceUrl } from '../../contract/service-url.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import type { AddressGuard } from '../address/address-guard.ts';
import { type ApiEntry, isOperators } from '../folder/api-folder.ts';
import type { ApiDetail, ApiState, ApiSummary, ServedApi } from './api-wire.ts';
import { serviceFindings } from './service-findings.ts';

/** Describes an API; `served` is what the gateway makes of it, where it does. */
export async function describeApi(
  entry: ApiEntry,
  path: string,
  examination: Examination,
  served: ServedApi | undefined,
  { guard, needsGrants }: { readonly guard: AddressGuard; readonly needsGrants: boolean },
): Promise<ApiDetail> {
  const { report, document, operations } = examination;
  const model = served?.model ?? examination.model;
  // Where the operator has written the address, it is the operator's word.
  const addressFindings =
    document === undefined || isOperators(entry)
      ? []
      : await serviceFindings(entry.registration?.serviceUrl, examination, guard);
  const findings = [...report.findings, ...addressFindings].sort(bySeverity);
  const info = own(document, 'info');
  return {
    name: entry.name,
    title: textOf(own(info, 'title')),
    version: textOf(own(info, 'version')),
    openapi: report.kind === 'swagger-2' ? '2.0' : textOf(own(document, 'openapi')),
    description: entry.registration?.description || textOf(own(info, 'description')),
    serviceUrl: served?.serviceUrl ?? serviceUrlOf(entry, examination) ?? '',
    file: path,
    state: needsGrants && isUngranted(entry, examination, served) ? 'ungranted' : stateOf(entry, served),
    operations: operations.length,
    entitySets: model.entitySets.map(({ name }) => name),
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    report: { ...report, summary: withAddresses(report.summary, addressFindings), findings },
    model,
    fetchUrl: entry.registration?.fetchUrl ?? null,
    credentials: served?.credentials ?? null,
    refusal: served?.refusal ?? null,
  };
}

/** What the list shows of it. */
export function summaryOf({
  report: _,
  model: __,
  fetchUrl: ___,
  credentials: ____,
  refusal: _____,
  ...summary
}: ApiDetail): ApiSummary {
  return summary;
}

/** Where the operations of an API are sent that is not served; undefined where nobody has said it. */
export function serviceUrlOf({ registration }: ApiEntry, { servers }: Examination): string | undefined {
  const url = registration?.serviceUrl ?? servers[0]?.url;
  return url === undefined || whyNotServiceUrl(url) !== undefined ? undefined : url;
}

function stateOf({ source }: ApiEntry, served: ServedApi | undefined): ApiState {
  if (source === undefined) return 'registered';
  return served === undefined ? 'failed' : 'live';
}

/** Whether it has what could be granted, and nobody is granted any of it. */
function isUngranted(
  entry: ApiEntry,
  { access: { resources, roles } }: Examination,
  served: ServedApi | undefined,
): boolean {
  return stateOf(entry, served) === 'live' && resources.length > 0 && roles.length === 0;
}

function withAddresses(summary: string, findings: readonly DocumentFinding[]): string {
  const [first] = findings.filter(({ severity }) => severity === 'error');
  return first === undefined ? summary : `${summary} It cannot be called as it is: ${first.message}.`;
}

function bySeverity(a: DocumentFinding, b: DocumentFinding): number {
  return a.severity.localeCompare(b.severity);
}

function countOf(findings: readonly DocumentFinding[], severity: DocumentFinding['severity']): number {
  return findings.filter((each) => each.severity === severity).length;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
