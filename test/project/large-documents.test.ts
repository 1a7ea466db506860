import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import {
  type Examiner,
  type ExaminerLimits,
  ThreadExaminer,
} from '../../src/project/examination/examiner.ts';
import { sharedExaminer } from '../support/shared-examiner.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';

const ANSWER = { 200: { description: 'OK', content: { 'application/json': { schema: {} } } } };

/** Many operations on things that refer to one another. */
function documentWith(count: number, kinds: readonly string[] = ['a', 'b']): string {
  const names = Array.from({ length: count }, (_, index) => `Thing${index}`);
  const schemaOf = (index: number) => ({
    type: 'object',
    properties: {
      id: { type: 'string' },
      kind: { type: 'string', enum: index === 0 ? kinds : ['a', 'b'] },
      next: { $ref: `#/components/schemas/${names[(index + 1) % count]}` },
    },
    'x-odata': { grants: { User: ['View'] } },
  });
  const pathsOf = (name: string) => {
    const thing = { $ref: `#/components/schemas/${name}` };
    const answer = (schema: object) => ({
      200: { ...ANSWER[200], content: { 'application/json': { schema } } },
    });
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    return [
      [
        `/${name}`,
        { get: { operationId: `list${name}`, responses: answer({ type: 'array', items: thing }) } },
      ],
      [`/${name}/{id}`, { get: { operationId: `get${name}`, parameters: [id], responses: answer(thing) } }],
    ];
  };
  return JSON.stringify({
    'x-odata': { strict: true },
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths: Object.fromEntries(names.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(names.map((name, index) => [name, schemaOf(index)])) },
  });
}

function projectOf(document: string) {
  return createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Api', './api.yaml', 'http://127.0.0.1:9')}`,
    'api.yaml': document,
  });
}

/** An examiner that says what of its work is under way. */
function watched(examiner: Examiner) {
  const work = { prepared: 0, isUnderWay: false };
  const watching: Examiner = {
    ...sharedExaminer,
    async prepare(place) {
      work.prepared += 1;
      work.isUnderWay = true;
      try {
        return await examiner.prepare(place);
      } finally {
        work.isUnderWay = false;
      }
    },
  };
  return { work, watching };
}

describe('a document that takes long', () => {
  it('keeps nobody waiting while it is taken in', async () => {
    const { work, watching } = watched(sharedExaminer);
    const project = projectOf(documentOf('Post'));
    const { entitySets } = await serveProject(project, {}, onTestFinished, watching);
    project.replace('api.yaml', documentWith(600));
    let answers = 0;
    while ((await entitySets()).length < 600) if (work.isUnderWay) answers += 1;
    // Done where requests are answered, it would leave room for the one that it begins in and the one that it ends in.
    expect(answers).toBeGreaterThan(10);
  });

  it('has no more findings than can be read', async () => {
    const kinds = Array.from({ length: 3_000 }, (_, index) => `kind-${index}`);
    const { entries } = await serveProject(projectOf(documentWith(2, kinds)));
    const infos = entries().filter(({ severity }) => severity === 'info');
    expect(infos.map(({ others = 0 }) => others)).toStrictEqual([999, 0]);
    expect(infos.at(-1)).toMatchObject({
      pointer: '',
      msg: 'There are 2000 more findings of this severity, which are not shown',
    });
  });

  it('has enumerations that GraphQL can show, and texts', async () => {
    const kinds = Array.from({ length: 10_001 }, (_, index) => `kind${index}`);
    const { json } = await serveProject(projectOf(documentWith(2, kinds)));
    const query =
      '{ a: __type(name: "Thing0") { ...kinds } b: __type(name: "Thing1") { ...kinds } } fragment kinds on __Type { fields { name type { kind } } }';
    const { data } = (await json(`/graphql?query=${encodeURIComponent(query)}`)) as {
      readonly data: unknown;
    };
    const fields = (kind: string) => ({
      fields: [
        { name: 'nodeId', type: { kind: 'NON_NULL' } },
        { name: 'id', type: { kind: 'NON_NULL' } },
        { name: 'kind', type: { kind } },
        { name: 'next', type: { kind: 'OBJECT' } },
      ],
    });
    expect(data).toStrictEqual({ a: fields('ENUM'), b: fields('ENUM') });
    expect(JSON.stringify(await json('/odata/$metadata?$format=json'))).toContain('"kind10000"');
  });
});

it('a document that takes more processor time than EXAMINATION_MS is a 503 that names it', async () => {
  const { path } = projectOf(documentOf('Post'));
  const gateway = await startGateway(
    readConfig({
      AUTH: 'off',
      PORT: '0',
      LOG_LEVEL: 'silent',
      MESH_CONFIG: path('.meshrc.yaml'),
      EXAMINATION_MS: '1000',
    }),
  );
  onTestFinished(() => gateway.close());
  const response = await fetch(`${gateway.url}/api/registry/$check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ document: documentWith(4000) }),
  });
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      error: {
        code: 'Overloaded',
        message: 'The document took more than 1000 ms of processor time to examine (EXAMINATION_MS).',
        target: 'document',
      },
    },
  ]);
});

describe('a project whose documents go beyond a limit', () => {
  async function prepare(limits: Partial<ExaminerLimits>) {
    const examiner = new ThreadExaminer(limits);
    onTestFinished(() => examiner.close());
    const { path } = projectOf(documentWith(600));
    return examiner.prepare({ file: path('.meshrc.yaml'), environment: {} });
  }

  it.each([
    ['time', { projectMs: 1 }],
    ['memory', { memoryMiB: 16 }],
  ])('of %s is given up', async (_, limits) => {
    await expect(prepare(limits)).rejects.toMatchObject({ code: 'Overloaded' });
  });

  it('is not tried again until it changes, and what was served is served on', async () => {
    const project = projectOf(documentOf('Post'));
    const examiner = new ThreadExaminer({ projectMs: 1 });
    onTestFinished(() => examiner.close());
    const { work, watching } = watched(examiner);
    const { entitySets, entries } = await serveProject(project, {}, onTestFinished, watching);
    project.replace('api.yaml', documentWith(2));
    while (!entries().some(({ level }) => level === 'error')) await delay(10);
    expect(await entitySets()).toStrictEqual(['Post']);
    project.replace('api.yaml', documentWith(3));
    while (entries().filter(({ level }) => level === 'error').length < 2) await delay(10);
    expect(work.prepared).toBe(2);
    expect(entries().find(({ level }) => level === 'error')).toMatchObject({
      msg: 'the changed project cannot be served: the earlier one stays in service',
      err: {
        message:
          'The documents of the project took more than 1 ms of processor time to examine (EXAMINATION_MS).',
      },
    });
  });
});
