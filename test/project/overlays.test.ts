import { unlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
} from '../support/temporary-project.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title: 'A post' }]));
});
afterAll(() => upstream.close());

const DOCUMENT = 'openapi/api.yaml';
const OVERLAY = 'openapi/api.overlay.yaml';

function renaming(name: string): string {
  return `overlay: 1.0.0
info: { title: Names, version: "1" }
extends: api.yaml
actions:
  - target: $.components.schemas.Post
    update: { x-odata: { entitySet: ${name} } }
`;
}

function project(overlay?: string) {
  return createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/api.yaml', upstream.url)}`,
    [DOCUMENT]: documentOf('Post'),
    ...(overlay === undefined ? {} : { [OVERLAY]: overlay }),
  });
}

const PATIENCE = { timeout: 15_000, interval: 20 };

async function expectServed(gateway: ProjectGateway, names: readonly string[]): Promise<void> {
  await vi.waitFor(async () => expect(await gateway.entitySets()).toStrictEqual(names), PATIENCE);
}

async function expectRefused(gateway: ProjectGateway, count: number): Promise<string> {
  const found = () =>
    gateway
      .entries()
      .filter(({ msg }) => msg === 'the changed project cannot be served: the earlier one stays in service');
  await vi.waitFor(() => expect(found()).toHaveLength(count), PATIENCE);
  return JSON.stringify(found().at(-1)?.['err']);
}

describe('an overlay beside a document', () => {
  it('is applied before anything else reads the document', async () => {
    const gateway = await serveProject(project(renaming('Article')));
    expect(await gateway.entitySets()).toStrictEqual(['Article']);
    expect(await gateway.json('/odata/Article?$select=Title')).toMatchObject({
      value: [{ Title: 'A post' }],
    });
    expect(await gateway.json('/graphql?query={posts{title}}')).toStrictEqual({
      data: { posts: [{ title: 'A post' }] },
    });
  });

  it('is watched like the document: when it comes, changes, and goes', async () => {
    const files = project();
    const gateway = await serveProject(files);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    files.write(OVERLAY, renaming('Article'));
    await expectServed(gateway, ['Article']);
    files.replace(OVERLAY, renaming('Note'));
    await expectServed(gateway, ['Note']);
    unlinkSync(files.path(OVERLAY));
    await expectServed(gateway, ['Post']);
  });

  it('that does not fit leaves the earlier service, and says where it is wrong', async () => {
    const files = project(renaming('Article'));
    const gateway = await serveProject(files);
    files.write(OVERLAY, renaming('Note').replace('schemas.Post', 'schemas.Posts'));
    expect(await expectRefused(gateway, 1)).toContain(
      'api.yaml: The overlay api.overlay.yaml cannot be applied: at line 5, column 13 (/actions/0/target): ',
    );
    expect(await gateway.entitySets()).toStrictEqual(['Article']);
    files.write('openapi/api.overlay.json', '{}');
    expect(await expectRefused(gateway, 2)).toContain('api.overlay.json lies beside it');
    unlinkSync(files.path('openapi/api.overlay.json'));
    await expectRefused(gateway, 3);
    // Nothing changes any more: nothing is tried again.
    await delay(300);
    await expectRefused(gateway, 3);
    files.write(OVERLAY, renaming('Note'));
    await expectServed(gateway, ['Note']);
  });

  it('keeps a source from being served that it does not fit', async () => {
    await expect(serveProject(project('overlay: 3.0.0'))).rejects.toThrow(
      /- Posts: .*api\.yaml: The overlay api\.overlay\.yaml cannot be applied: at line 1, column 1: Its `overlay` version/,
    );
  });

  it('has what it says wrongly reported at its own place', async () => {
    const text = renaming('Article').replace('entitySet: Article', 'entitySets: Article');
    const gateway = await serveProject(project(text));
    expect(gateway.entries()).toContainEqual(
      expect.objectContaining({
        level: 'error',
        source: 'Posts',
        file: 'overlay',
        pointer: '/actions/0/update/x-odata/entitySets',
        msg: 'x-odata has no key "entitySets": is entitySet meant?',
      }),
    );
  });
});
