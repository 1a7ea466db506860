import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';

/**
 * Header fields with the challenges of a 401 (RFC 9110, 11.6.1) as they suit the client: those for a page's
 * script go without Basic, for which a browser would open a window of its own before the script hears of it.
 */
export function filterAuthChallenges(
  fields: GatewayResponse['headers'],
  { headers }: Pick<GatewayRequest, 'headers'>,
): GatewayResponse['headers'] {
  const challenges = fields['www-authenticate'];
  if (challenges === undefined || !isScript(headers)) return fields;
  return { ...fields, 'www-authenticate': challenges.replace(/, Basic realm="[^"]*"/, '') };
}

/** Browsers alone say for which site they ask; Node's fetch names a mode, too. */
function isScript(headers: GatewayRequest['headers']): boolean {
  const isPage = 'sec-fetch-site' in headers && headers['sec-fetch-mode'] !== 'navigate';
  return isPage || 'x-requested-with' in headers;
}
