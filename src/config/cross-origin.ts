import { readList, type Variables } from './variables.ts';

/**
 * The origins whose pages may use the services from a browser. `*` is all of them, which nobody means where
 * whoever asks may do everything: any page would then reach what a loopback address keeps to this machine.
 */
export function readCorsOrigins(variables: Variables, auth: 'off' | 'required'): readonly string[] {
  const expected = 'origins such as https://ui.example.com, or *,';
  const origins = readList(variables, 'CORS_ORIGINS', expected, isOrigin);
  if (origins.includes('*') && origins.length > 1) {
    variables.reject('CORS_ORIGINS must be * alone or a list of origins');
  }
  if (origins.includes('*') && auth === 'off')
    variables.reject('CORS_ORIGINS=* is not possible with AUTH=off');
  return origins;
}

/** As browsers write it: in lower case, without a slash at its end and without the usual port. */
function isOrigin(text: string): boolean {
  return text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}
