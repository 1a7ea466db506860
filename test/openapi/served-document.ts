import { onTestFinished } from 'vitest';
import type { AtEnd } from '../support/end-of-file.ts';
import { withoutDigest } from '../support/entity-tag.ts';
import { type ReceivedRequest, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject, sourceOf } from '../support/temporary-project.ts';

/** A served document, in front of an upstream with configurable behaviour. */
export interface ServedDocument extends ProjectGateway {
  /** The last request to the upstream: `POST /pets {"id":1}`. */
  lastSent(): string | undefined;
  /** Everything that the upstream was sent, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Status and JSON, without its context and the gateway's own address. */
  ask(path: string, method?: string, body?: object, mediaType?: string): Promise<readonly unknown[]>;
  /** GraphQL's response to a query. */
  query(text: string, variables?: object): Promise<unknown>;
  /** The elements of the metadata document that begin so, without indentation. */
  csdl(beginning: string, version?: string): Promise<readonly string[]>;
}

/** `answers`: by method and path, such as `GET /pets`; a body is what it makes of what was sent, or bytes. */
export async function serveDocument(
  document: string,
  answers: Readonly<Record<string, unknown>> = {},
  atEnd: AtEnd = onTestFinished,
  environment: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<ServedDocument> {
  const upstream = await startStandInUpstream(({ method, target, body }, reply) => {
    const answer = answers[`${method} ${target}`];
    if (answer === undefined) return reply.send(404);
    if (Buffer.isBuffer(answer)) return reply.send(200, answer);
    reply.json(typeof answer === 'function' ? answer(JSON.parse(body.toString())) : answer);
  });
  atEnd(() => upstream.close());
  const project = createProject(
    {
      ...files,
      'api.yaml': document,
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
    },
    atEnd,
  );
  const served = await serveProject(project, environment, atEnd);
  return {
    ...served,
    requests: upstream.requests,
    lastSent() {
      const last = upstream.requests.at(-1);
      return last && `${last.method} ${last.target} ${last.body.toString()}`.trimEnd();
    },
    async ask(path, method = 'GET', body, mediaType = 'application/json') {
      const sent = body && { body: JSON.stringify(body), headers: { 'content-type': mediaType } };
      const response = await fetch(`${served.gateway.url}/odata/${path}`, { method, ...sent });
      const text = withoutDigest(await response.text(), response);
      if (text === '') return [response.status];
      const { '@odata.context': _, ...json } = JSON.parse(text);
      return [response.status, json];
    },
    async query(text, variables) {
      const response = await fetch(`${served.gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, variables }),
      });
      return response.json();
    },
    async csdl(beginning, version = '4.01') {
      const response = await fetch(`${served.gateway.url}/odata/$metadata`, {
        headers: { accept: 'application/xml', 'odata-maxversion': version },
      });
      const lines = (await response.text()).split('\n').map((line) => line.trim());
      return lines.filter((line) => line.startsWith(beginning));
    },
  };
}
