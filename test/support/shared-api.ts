import { onTestFinished } from 'vitest';
import { ACCESS, bearer, signUp, tokenOf } from '../auth/account-client.ts';
import { PHOTOS_DOCUMENT } from '../odata/streams.document.ts';
import type { Answer } from './running-gateway.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from './stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from './temporary-project.ts';

/** A user of the API, with a token. */
export interface ApiUser {
  readonly headers: Readonly<Record<string, string>>;
  fetch(path: string, init?: RequestInit): Promise<Answer>;
}

export interface SharedApi {
  readonly url: string;
  readonly upstream: StandInUpstream;
  readonly entries: () => readonly Record<string, unknown>[];
  /** Signs up. */
  user(name: string): Promise<ApiUser>;
}

const GRANTS = { User: ['View', 'Insert', 'Update', 'Delete', 'Call'] };

/** The photos API for users with accounts, until the end of the test. */
export async function serveSharedApi(
  behaviour: Behaviour,
  environment: Readonly<Record<string, string>> = {},
): Promise<SharedApi> {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  const project = createProject({
    'photos.json': JSON.stringify({ ...PHOTOS_DOCUMENT, 'x-odata': { grants: GRANTS } }),
    '.meshrc.yaml': `sources:\n${sourceOf('Photos', './photos.json', upstream.url)}`,
  });
  const { gateway, entries } = await serveProject(project, {
    ...ACCESS,
    UPSTREAM_SHARED_READS: 'off',
    ...environment,
  });
  const fetchWith = async (path: string, init: RequestInit = {}, headers = {}): Promise<Answer> => {
    const all = { ...headers, ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetch(`${gateway.url}${path}`, { ...init, headers: all });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    url: gateway.url,
    upstream,
    entries,
    async user(name) {
      const site = { fetch: fetchWith };
      const headers = bearer(await tokenOf(site, await signUp(site, `${name}@example.com`)));
      return { headers, fetch: (path, init) => fetchWith(path, init, headers) };
    },
  };
}

/** An API that answers when the test says so. */
export function withheld(answer: Behaviour) {
  const answers: (() => void)[] = [];
  const behaviour: Behaviour = (request, reply) => void answers.push(() => answer(request, reply));
  return {
    behaviour,
    waiting: () => answers.length,
    answerAll() {
      for (const each of answers.splice(0)) each();
    },
  };
}
