import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8');
const REQUESTS = [...PAGE.matchAll(/`(GET [^`]+)`/g)].map(([, request = '']) => request);
const REFUSED = [...PAGE.matchAll(/`501 ([^`]+)`/g)].map(([, target = '']) => target);

const { odata } = useLibrary();

it('docs/conformance.md shows requests', () => expect(REQUESTS.length).toBeGreaterThan(30));

it.each(REQUESTS)('docs/conformance.md rightly shows %s', async (request) => {
  const [status, body] = await odata(request.replace('GET .', 'GET '));
  expect([status, body]).toStrictEqual([200, expect.stringMatching(/./)]);
});

it('docs/conformance.md shows what is not there', () => expect(REFUSED.length).toBeGreaterThan(5));

it.each(REFUSED)('docs/conformance.md rightly says that %s is a 501', async (target) => {
  const [status, body] = await odata(`GET ${target}`);
  expect([status, JSON.parse(body).error.code]).toStrictEqual([501, 'NotImplemented']);
});
