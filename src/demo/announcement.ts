import type { SampleApi } from './sample-api.ts';

/** What the demo says once it serves: where everything is, and lines that work when pasted into a shell. */
export function writeAnnouncement(api: SampleApi, url: string, upstreamUrl: string): string {
  const calls = api.calls
    .filter(({ served }) => served)
    .map(({ shows, line }) => `  # ${shows}\n  ${line.replace('{url}', url)}\n`);
  return `Duogate serves the sample ${api.name} API at ${upstreamUrl} to everyone on this machine.

  Start here        ${url}/
  Service document  ${url}/odata
  Metadata          ${url}/odata/$metadata
  A query           ${url}/odata/${api.query}
  GraphQL           ${url}/graphql

For a shell:

${calls.join('\n')}
Ctrl-C stops it.
`;
}
