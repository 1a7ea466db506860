import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Helmet's header fields, in lower case. They are the same for every answer, so helmet is asked once.
 *
 * `secure`: the public URL is https. On http, a browser that is told to upgrade finds nothing there.
 * Switched off are the four that only browsers and plug-ins of the past have read.
 */
export function securityHeaders(secure: boolean): Readonly<Record<string, string>> {
  const setHeaders = helmet({
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: secure ? [] : null } },
    strictTransportSecurity: secure,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  setHeaders(request, response, () => {});
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
}
