import { type AtEnd, atEndOfFile } from '../support/end-of-file.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
  type TemporaryProject,
} from '../support/temporary-project.ts';

/** As far as tests look at it by name; whole bodies are compared. */
export interface AnswerBody extends Readonly<Record<string, unknown>> {
  readonly apis: readonly Readonly<Record<string, unknown>>[];
  readonly api: AnswerBody;
  readonly report: {
    readonly kind: string;
    readonly summary: string;
    readonly findings: readonly Readonly<Record<string, unknown>>[];
  };
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly target?: string;
    readonly details?: readonly Readonly<Record<string, unknown>>[];
  };
}

/** A response of the registry. */
export interface RegistryAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}

export interface RegistryGateway extends ProjectGateway {
  /** Sends JSON to a path of the registry. */
  ask(
    method: string,
    path?: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<RegistryAnswer>;
}

/** A project with comments, and one API that a person has put there. */
export function postsProject(upstreamUrl: string, atEnd?: AtEnd): TemporaryProject {
  const sources = sourceOf('Posts', './openapi/posts.yaml', upstreamUrl);
  const files = {
    '.meshrc.yaml': `# What is served.\nsources:\n${sources}`,
    'openapi/posts.yaml': documentOf('Post'),
  };
  return createProject(files, atEnd);
}

/** Serves the project; registered APIs may be at 127.0.0.1. */
export async function serveRegistry(
  project: TemporaryProject,
  environment: Readonly<Record<string, string>> = {},
  atEnd?: AtEnd,
): Promise<RegistryGateway> {
  const served = await serveProject(project, { REGISTRY_HOSTS: '127.0.0.1', ...environment }, atEnd);
  return { ...served, ask: (...asked) => ask(served.gateway.url, ...asked) };
}

async function ask(
  url: string,
  method: string,
  path = '',
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RegistryAnswer> {
  const response = await fetch(`${url}/api/registry${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** A gateway for all tests of a file that change nothing of its project. */
export function serveSharedRegistry(upstreamUrl: string): Promise<RegistryGateway> {
  return serveRegistry(postsProject(upstreamUrl, atEndOfFile), {}, atEndOfFile);
}

/** The document of an API at that URL. */
export function documentAt(name: string, url: string): string {
  return documentOf(name).replace('https://jsonplaceholder.typicode.com', url);
}

/** Registers an API of that name, whose entities have it, too. */
export function register(gateway: RegistryGateway, name: string, url: string): Promise<RegistryAnswer> {
  return gateway.ask('POST', '', {
    name: `${name}s`,
    fileName: 'api.yaml',
    document: documentAt(name, url),
  });
}
