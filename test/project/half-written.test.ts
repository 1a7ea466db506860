import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { followProject, type ProjectReloader, type Service } from '../../src/project/follow-project.ts';
import { preparedPlan, prepareProject } from '../../src/project/plan/prepare-project.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const POSTS = readFileSync(join(import.meta.dirname, '../../openapi/posts.yaml'), 'utf8');

function postsProject(endpoint = 'http://127.0.0.1:1') {
  return createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/api.yaml', endpoint)}`,
    'openapi/api.yaml': POSTS,
  });
}

/** The ends of all lines, and their middles. */
const LENGTHS = [...POSTS.matchAll(/\n/g)].flatMap(({ index }) => {
  const start = POSTS.lastIndexOf('\n', index - 1) + 1;
  return [start + Math.floor((index - start) / 2), index];
});

describe('a document that has been written in part', () => {
  it('takes no entity set away, wherever it ends', async () => {
    const project = postsProject();
    const place = { file: project.path('.meshrc.yaml'), environment: {} };
    const state = await prepareProject(place);
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const serviceOf = async (prepared: ReturnType<typeof preparedPlan>): Promise<Service> => ({
      plan: prepared.plan,
      destroy: async () => {},
    });
    const following: ProjectReloader<Service> = followProject({
      began: state,
      first: await serviceOf(preparedPlan(state)),
      prepare: () => prepareProject(place),
      open: serviceOf,
      replace: async () => {},
      log,
    });
    onTestFinished(async () => {
      await following.stop();
    });
    const lost: number[] = [];
    for (const length of LENGTHS) {
      project.write('openapi/api.yaml', POSTS.slice(0, length));
      const refused = await following.settle().then(
        () => false,
        () => true,
      );
      expect(refused).toBe(following.refusal !== undefined);
      if (!following.serving.plan.model.entitySets.has('Post')) lost.push(length);
    }
    expect(lost).toStrictEqual([]);
    expect(LENGTHS.length).toBeGreaterThan(300);
    project.write('openapi/api.yaml', POSTS);
    await following.settle();
    expect(following.refusal).toBeUndefined();
  });

  it('is said to be refused by the log, the metrics and the registry', async () => {
    const upstream = await startStandInUpstream();
    onTestFinished(() => upstream.close());
    const project = postsProject(upstream.url);
    const gateway = await serveProject(project);
    const refused = async () => {
      const metrics = await (await fetch(`${gateway.gateway.url}/metrics`)).text();
      const api = (await gateway.json('/api/registry/Posts')) as { readonly refusal: string | null };
      return [/^duogate_project_refused (\d)/m.exec(metrics)?.[1], api.refusal];
    };
    expect(await refused()).toStrictEqual(['0', null]);
    project.write('openapi/api.yaml', POSTS.slice(0, POSTS.indexOf('components:')));
    await vi.waitFor(async () => expect((await refused())[0]).toBe('1'), 15_000);
    expect(await refused()).toStrictEqual(['1', expect.stringContaining('it would lose Post')]);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect(gateway.entries().filter(({ level }) => level === 'error')).toHaveLength(1);
    project.write('openapi/api.yaml', POSTS);
    await vi.waitFor(async () => expect(await refused()).toStrictEqual(['0', null]), 15_000);
  });

  it.each([
    ['paths:', 'pathz:', 'OpenAPI has no field "pathz" here: it may be misspelled'],
    ['    get:\n', '    gett:\n', 'OpenAPI has no field "gett" here: it may be misspelled'],
  ])('takes no entity set away by a misspelled field: %s', async (field, misspelled, told) => {
    const project = postsProject();
    const { gateway, json, entitySets } = await serveProject(project);
    project.write('openapi/api.yaml', POSTS.replaceAll(field, misspelled));
    const refusal = async () => ((await json('/api/registry/Posts')) as { refusal: string | null }).refusal;
    await vi.waitFor(async () => expect(await refusal()).toContain('it would lose Post'), 15_000);
    expect(await refusal()).toContain(told);
    expect(await entitySets()).toStrictEqual(['Post']);
    expect((await fetch(`${gateway.url}/odata/$metadata`)).status).toBe(200);
  });

  it('keeps a gateway from starting with nothing to serve', async () => {
    const project = postsProject();
    project.write('openapi/api.yaml', POSTS.slice(0, POSTS.indexOf('paths:') + 'paths:'.length));
    await expect(serveProject(project)).rejects.toThrow('it may be half written');
  });
});
