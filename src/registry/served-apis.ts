import type { ListedApi } from '../contract/landing.ts';
import type { Principal } from '../contract/principal.ts';
import { own } from '../openapi/parse/openapi-version.ts';
import { maySeeRegistry } from './registry-request.ts';

/** The APIs with their documents; empty for anonymous clients and keys with a scope. */
export function listServedApis(
  documents: ReadonlyMap<string, unknown>,
  principal: Principal,
): readonly ListedApi[] {
  if (principal.kind === 'anonymous' || (principal.kind === 'user' && principal.scoped !== undefined))
    return [];
  return [...documents].map(([name, document]) => {
    const info = own(document, 'info');
    const [title, version] = [own(info, 'title'), own(info, 'version')];
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof version === 'string' ? { version } : {}),
      ...(maySeeRegistry(principal) ? { href: `app/apis/${name}` } : {}),
    };
  });
}
