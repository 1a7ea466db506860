import { isMapping, own } from '../parse/openapi-version.ts';

/** The URL of a Server Object with its variables filled in (OpenAPI 3.1, section 4.8.5); undefined where it has none. */
export function serverUrl(server: unknown): string | undefined {
  const url = own(server, 'url');
  if (typeof url !== 'string') return undefined;
  const variables = own(server, 'variables');
  return url.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const variable = own(variables, name);
    return isMapping(variable) ? String(own(variable, 'default') ?? whole) : whole;
  });
}
