import type { DocumentFinding, Examination } from '../../contract/api-report.ts';
import { whyNotServiceUrl } from '../../contract/service-url.ts';
import type { AddressGuard } from '../address/address-guard.ts';

const RULE = 'service-url';

/**
 * What is wrong with where the operations of an API are to be sent: the URL that it was registered with, and
 * the servers that its document names. None of them is called.
 */
export async function serviceFindings(
  given: string | undefined,
  { servers }: Pick<Examination, 'servers'>,
  guard: AddressGuard,
): Promise<readonly DocumentFinding[]> {
  const ownUrl = given === undefined ? [] : [{ url: given, line: 0, column: 0, pointer: '' }];
  const named = servers.map((server, index) => ({ ...server, pointer: `/servers/${index}/url` }));
  if (ownUrl.length + named.length === 0) return [NO_URL];
  const checked = await Promise.all([...ownUrl, ...named].map((place) => findingOf(place, guard, given)));
  return checked.filter((finding) => finding !== undefined);
}

const NO_URL: DocumentFinding = {
  severity: 'error',
  rule: RULE,
  message: 'There is no service URL: the document names no server and none was given',
  line: 0,
  column: 0,
  pointer: '/servers',
};

interface Place {
  readonly url: string;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

async function findingOf(
  { url, line, column, pointer }: Place,
  guard: AddressGuard,
  given: string | undefined,
): Promise<DocumentFinding | undefined> {
  const mistake = whyNotServiceUrl(url);
  const reason = mistake === undefined ? await guard.whyNot(url) : `The service URL ${mistake}`;
  if (reason === undefined) return undefined;
  // A server that cannot be an address by itself, such as `/v1`, does not matter where another URL was given.
  const severity = mistake !== undefined && given !== undefined && pointer !== '' ? 'warning' : 'error';
  return { severity, rule: RULE, message: reason, line, column, pointer };
}
