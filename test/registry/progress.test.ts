import { beforeAll, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { ownName } from '../support/own-name.ts';
import type { TemporaryProject } from '../support/temporary-project.ts';
import { postsProject, type RegistryGateway, serveRegistry } from './registry-gateway.ts';

const ID = 'a-request-of-mine';
const STEPS = ['waiting', 'reading', 'checking', 'deriving'];

/** A document whose analysis takes long enough to query its progress, and is not cached. */
function largeDocument(): string {
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: ownName('Things'), version: '1' },
    paths: Object.fromEntries(numbers.map((number) => [`/things${number}`, pathOf(number)])),
  });
}

function pathOf(number: number): object {
  const properties = { id: { type: 'string' }, name: { type: 'string' } };
  const items = { title: `Thing${number}`, type: 'object', required: ['id'], properties };
  const content = { 'application/json': { schema: { type: 'array', items } } };
  return { get: { operationId: `things${number}`, responses: { 200: { description: 'OK', content } } } };
}

let project: TemporaryProject;
let gateway: RegistryGateway;
beforeAll(async () => {
  project = postsProject('http://127.0.0.1:9', atEndOfFile);
  gateway = await serveRegistry(project, {}, atEndOfFile);
});

async function stepOf(id: string): Promise<unknown> {
  const { status, body } = await gateway.ask('GET', `/$progress/${id}`);
  expect(status).toBe(200);
  return body['step'];
}

it('tells what a document is at while it is examined, to whoever knows the id of the request', async () => {
  let isChecked = false;
  const checking = gateway
    .ask('POST', '/$check', { document: largeDocument() }, { 'x-progress-id': ID })
    .finally(() => {
      isChecked = true;
    });
  const steps: unknown[] = [];
  while (!isChecked) steps.push(await stepOf(ID));
  expect((await checking).status).toBe(200);
  const reported = new Set(steps.filter((step) => step !== null));
  expect(reported.size).toBeGreaterThan(0);
  expect([...reported]).toStrictEqual(STEPS.filter((step) => reported.has(step)));
  expect(await stepOf(ID)).toBeNull();
  expect(await stepOf('somebody-else')).toBeNull();
});
