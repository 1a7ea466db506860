import { onTestFinished } from 'vitest';
import type { Gateway } from '../../../src/app.ts';
import type { AtEnd } from '../../support/end-of-file.ts';
import type { Answer } from '../../support/running-gateway.ts';
import {
  type Behaviour,
  type ReceivedRequest,
  type StandInUpstream,
  startStandInUpstream,
} from '../../support/stand-in-upstream.ts';
import {
  createProject,
  type ProjectGateway,
  serveProject,
  type TemporaryProject,
} from '../../support/temporary-project.ts';

const NOTE = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, text: { type: 'string' } },
  'x-odata': { grants: { User: ['View', 'Insert'] } },
};
const NOTE_REFERENCE = { $ref: '#/components/schemas/Note' };
const CONTENT = (schema: object) => ({ 'application/json': { schema } });
const ANSWER = (schema: object) => ({ 200: { description: 'OK', content: CONTENT(schema) } });
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

/** A document with one set, `Note`, and these security schemes. */
export function notesDocument(securitySchemes: object = {}, security: readonly object[] = []): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes': {
        get: { operationId: 'notes', responses: ANSWER({ type: 'array', items: NOTE_REFERENCE }) },
        post: {
          operationId: 'createNote',
          requestBody: { required: true, content: CONTENT(NOTE_REFERENCE) },
          responses: { 201: { description: 'Created', content: CONTENT(NOTE_REFERENCE) } },
        },
      },
      '/notes/{id}': { get: { operationId: 'note', parameters: [ID], responses: ANSWER(NOTE_REFERENCE) } },
    },
    components: { schemas: { Note: NOTE }, securitySchemes },
    security,
  };
}

/** A project of the source `Notes`, and a file of credentials beside it. */
export function notesProject(
  endpoint: string,
  credentials: object,
  document: object = notesDocument(),
  atEnd?: AtEnd,
): TemporaryProject {
  const openapi = { source: './notes.json', endpoint };
  const files = {
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Notes', handler: { openapi } }] }),
    'credentials.yaml': JSON.stringify({ Notes: credentials }),
    'notes.json': JSON.stringify(document),
  };
  return createProject(files, atEnd);
}

export interface NotesScene {
  readonly upstream: StandInUpstream;
  readonly project: TemporaryProject;
  readonly served: ProjectGateway;
  /** As the accounts' client asks. */
  fetch(path: string, init?: RequestInit): Promise<Answer>;
  /** Status and JSON of the answer to a GET below `/odata`. */
  get(path: string, headers?: Record<string, string>): Promise<readonly [number, unknown]>;
  /** The credentials in the upstream's requests, oldest first. */
  authorizations(): readonly (string | undefined)[];
}

export interface NotesOptions {
  readonly document?: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly behaviour?: Behaviour;
  /** Others of the project, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Serves the project before a stand-in upstream; all of it ends with the test. */
export async function serveNotes(
  credentials: object,
  { document, environment, behaviour = everybodysNotes, files = {} }: NotesOptions = {},
): Promise<NotesScene> {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  const project = notesProject(upstream.url, credentials, document);
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  const served = await serveProject(project, environment);
  return {
    upstream,
    project,
    served,
    ...asking(served.gateway),
    authorizations: () => upstream.requests.map(({ headers }) => headers['authorization']),
  };
}

/** Asks a gateway. */
export function asking({ url }: Pick<Gateway, 'url'>): Pick<NotesScene, 'fetch' | 'get'> {
  const ask: NotesScene['fetch'] = async (path, init) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    fetch: ask,
    async get(path, headers = {}) {
      const { status, text } = await ask(`/odata/${path}`, { headers });
      return [status, JSON.parse(text)];
    },
  };
}

export const everybodysNotes: Behaviour = ({ method, target, body }, reply) => {
  if (method === 'POST') reply.send(201, body, { 'content-type': 'application/json' });
  else reply.json(target === '/notes' ? [{ id: '1', text: 'one' }] : { id: '1', text: 'one' });
};

/** Accepts valid bearer tokens only. */
export function guardedNotes(isGood: (token: string) => Promise<boolean>): Behaviour {
  return (request, reply) => {
    isGood(bearerOf(request)).then(
      (good) => (good ? everybodysNotes(request, reply) : reply.send(401, '{}')),
      () => reply.send(500),
    );
  };
}

export function bearerOf({ headers }: ReceivedRequest): string {
  return (headers['authorization'] ?? '').replace(/^Bearer /, '');
}
