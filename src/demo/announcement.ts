import type { DemoAccount, DemoCredentials } from './demo-account.ts';
import type { SampleApi } from './sample-api.ts';
import { get, type SampleCall } from './sample-call.ts';

export interface Announced {
  readonly api: SampleApi;
  readonly url: string;
  readonly upstreamUrl: string;
  readonly account: DemoAccount;
  readonly credentials: DemoCredentials;
}

/** What the demo says once it serves: where everything is, and lines that work when pasted into a shell. */
export function writeAnnouncement({ api, url, upstreamUrl, account, credentials }: Announced): string {
  const { token, key } = credentials;
  const [path = '', query = ''] = api.query.split('?');
  const withKey = get('With an API key, for programs that cannot sign in', `/odata/${path}?$top=1`);
  const calls = [
    ...api.calls.map((call) => write(call, url, `Authorization: Bearer ${token}`)),
    write(withKey, url, `X-API-Key: ${key}`),
  ];
  return `Duogate serves the sample ${api.name} API at ${upstreamUrl} to whoever signs in.

  Account           ${account.email}, password ${account.password}
  Start here        ${url}/
  Service document  ${url}/odata?api_key=${key}
  Metadata          ${url}/odata/$metadata?api_key=${key}
  A query           ${url}/odata/${path}?api_key=${key}&${query}
  GraphQL           ${url}/graphql
  Register an API   ${url}/app/apis

For a shell:

${calls.join('\n')}
Ctrl-C stops it.
`;
}

function write({ shows, line }: SampleCall, url: string, header: string): string {
  return `  # ${shows}\n  ${line.replace('curl', `curl -H '${header}'`).replace('{url}', url)}\n`;
}
