import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { changesApi } from './changes-api.ts';

/** The response to a request, and the resulting upstream requests. */
export interface Outcome {
  /** With the header fields that say something of the resource: `204 etag: W/"r2"`. */
  readonly answer: string;
  /** The service's root is written as `~`. */
  readonly body: string;
  /** But for reads. */
  readonly sent: readonly string[];
}

export type Ask = (
  call: string,
  body?: object | string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Outcome>;

const SHOWN_HEADERS = ['allow', 'location', 'odata-entityid', 'etag', 'preference-applied'];

/** The gateway before the shop, which is as at first before each test. */
export function useShop(document: object = CHANGES_DOCUMENT): {
  readonly ask: Ask;
  readonly gateway: ReturnType<typeof useGateway>;
} {
  const project = mkdtempSync(join(tmpdir(), 'changes-'));
  writeFileSync(join(project, 'shop.json'), JSON.stringify(document));
  writeFileSync(
    join(project, '.meshrc.yaml'),
    'sources:\n  - name: Shop\n    handler:\n      openapi:\n        source: ./shop.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
  );
  const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });
  beforeEach(() => gateway.upstream.behave(changesApi()));
  afterAll(() => rmSync(project, { recursive: true }));
  return {
    gateway,
    async ask(call, body, headers = {}) {
      const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
      const before = gateway.upstream.requests.length;
      const sent = typeof body === 'object' ? JSON.stringify(body) : body;
      const type = sent === undefined ? {} : { 'content-type': 'application/json' };
      const init = { method, headers: { ...type, ...headers }, ...(sent !== undefined && { body: sent }) };
      const found = await gateway.fetch(`/odata/${path}`, init);
      const root = `${gateway.url}/odata`;
      const fields = SHOWN_HEADERS.flatMap((name) => {
        const value = found.headers.get(name);
        return value === null ? [] : [`${name}: ${value.replaceAll(root, '~')}`];
      });
      const calls = gateway.upstream.requests
        .slice(before)
        .filter((request) => request.method !== 'GET')
        .map(({ method: verb, target, headers: { 'if-match': match }, body: bytes }) =>
          [
            verb,
            target,
            ...(match ? [`if ${match}`] : []),
            ...(bytes.length > 0 ? [String(bytes)] : []),
          ].join(' '),
        );
      return {
        answer: [found.status, ...fields].join(' '),
        body: found.text.replaceAll(root, '~'),
        sent: calls,
      };
    },
  };
}
