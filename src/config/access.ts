import { isIP } from 'node:net';
import { quote, readList, readText, type Variables } from './variables.ts';

/** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
export function readTrustedProxies(variables: Variables): readonly string[] {
  return readList(variables, 'TRUSTED_PROXIES', 'IP addresses or networks such as 10.0.0.0/8', isNetwork);
}

export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32));
}

/** The query parameter that may hold an API key. Those that begin with $ are OData's own. */
export function readApiKeyParameter(variables: Variables): string {
  const text = readText(variables, 'API_KEY_PARAMETER');
  if (!/^[A-Za-z_][\w.-]{0,63}$/.test(text)) {
    variables.reject(
      `API_KEY_PARAMETER must be 1 to 64 letters, digits, _, . or -, beginning with a letter or _, but is ${quote(text)}`,
    );
  }
  return text;
}
