import { join } from 'node:path';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { NOW } from '../openapi/library-gateway.ts';
import type { AtEnd } from '../support/end-of-file.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';

/** The gateway before a sample library of its own, and what the library was sent. */
export interface RecordedLibrary {
  graphql(query: string, variables?: object): Promise<unknown>;
  /** Changes that the upstream got since they were last taken: `PUT /authors/3 {"last_name":"Berg"}`. */
  takeChanges(): readonly string[];
  /** JSON of the upstream itself. */
  upstream(path: string): Promise<unknown>;
}

const FORWARDED = ['content-type', 'if-match', 'if-none-match', 'accept'];
const ANSWERED = ['content-type', 'etag', 'location', 'cache-control'];

export async function recordLibrary(atEnd: AtEnd): Promise<RecordedLibrary> {
  const library = await startLibraryUpstream(() => new Date(NOW));
  atEnd(() => library.close());
  const recorder = await startStandInUpstream(async ({ method, target, headers, body }, reply) => {
    const sent = Object.fromEntries(
      FORWARDED.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
    );
    const init = { method, headers: sent, ...(body.length > 0 && { body: new Uint8Array(body) }) };
    const answer = await fetch(library.url + target, init);
    const answered = ANSWERED.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    reply.send(answer.status, await answer.text(), Object.fromEntries(answered));
  });
  atEnd(() => recorder.close());
  const gateway = await startGateway(
    readConfig({
      AUTH: 'off',
      PORT: '0',
      LOG_LEVEL: 'silent',
      LIBRARY_URL: recorder.url,
      MESH_CONFIG: join(import.meta.dirname, '../../examples/library/.meshrc.yaml'),
    }),
  );
  atEnd(() => gateway.close());
  let taken = 0;
  return {
    async graphql(query, variables) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return response.json();
    },
    takeChanges() {
      const changes = recorder.requests.slice(taken).filter(({ method }) => method !== 'GET');
      taken = recorder.requests.length;
      return changes.map(({ method, target, body }) => `${method} ${target} ${body.toString()}`.trimEnd());
    },
    upstream: async (path) => (await fetch(library.url + path)).json(),
  };
}
