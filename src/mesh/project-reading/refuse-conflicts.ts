import type { Mistakes } from './project-reader.ts';
import type { ProjectSource } from './project-source.ts';
import { credentialPlaces } from './source-credential.ts';

/**
 * Refuses a credential that does not go with the rest of its source: what would be sent twice, what is meant for
 * another endpoint, and a certificate where there is no TLS to show it by. `headers` are the credential's own.
 */
export function refuseConflicts(
  source: ProjectSource,
  headers: Readonly<Record<string, string>>,
  at: string,
  mistakes: Mistakes,
): void {
  const { name, endpoint, operationHeaders, queryParams = {}, access } = source;
  const places = credentialPlaces(access?.credential);
  const refuse = (key: string, reason: string): void => void mistakes.push(`"${at}.${key}" ${reason}`);
  for (const header of Object.keys({ ...headers, ...places.operationHeaders })) {
    if (Object.hasOwn(operationHeaders, header)) refuse(`operationHeaders.${header}`, twice(name));
  }
  for (const parameter of Object.keys(places.queryParams)) {
    if (Object.hasOwn(queryParams, parameter)) refuse(`queryParams.${parameter}`, twice(name));
  }
  if (access?.endpoint !== undefined && access.endpoint !== endpoint) {
    refuse('endpoint', `is not ${access.endpoint}, for which the credentials of ${name} are meant`);
  }
  if (access?.certificate !== undefined && endpoint.startsWith('http:')) {
    refuse('endpoint', `must be an https URL: ${name} is called with a client certificate`);
  }
}

function twice(name: string): string {
  return `is sent for the credentials of ${name}, too: one of them is enough`;
}
