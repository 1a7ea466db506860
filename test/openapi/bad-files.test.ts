import { execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { BAD_FILES } from './bad-files.cases.ts';

const BROKEN = sourceOf('Broken', './broken.yaml', 'http://127.0.0.1:1');

describe('a project whose only document is none', () => {
  it.each(BAD_FILES)('is not served where that is %s', async (_, content, message) => {
    const project = createProject({ '.meshrc.yaml': `sources:\n${BROKEN}`, 'broken.yaml': content });
    const failure = serveProject(project).catch((error: unknown) => error);
    expect(await failure).toMatchObject({
      message: `The project cannot be served:\n  - Broken: ${project.path('broken.yaml')}: ${message}`,
    });
  });

  it.each<[string, (path: string) => void, string]>([
    ['not there', () => undefined, 'The file cannot be read: there is no file of that name.'],
    ['a directory', (path) => execFileSync('mkdir', [path]), 'It is a directory, not a file.'],
    ['a pipe', (path) => execFileSync('mkfifo', [path]), 'It is a pipe or a device, not a file.'],
  ])('is not served where that is %s', async (_, make, message) => {
    const project = createProject({ '.meshrc.yaml': `sources:\n${BROKEN}` });
    make(project.path('broken.yaml'));
    await expect(serveProject(project)).rejects.toThrow(`${project.path('broken.yaml')}: ${message}`);
  });

  it('is not served where there are several, all of them told', async () => {
    const other = sourceOf('Other', './other.yaml', 'http://127.0.0.1:1');
    const project = createProject({
      '.meshrc.yaml': `sources:\n${BROKEN}${other}`,
      'broken.yaml': 'hello: world',
      'other.yaml': '',
    });
    await expect(serveProject(project)).rejects.toThrow(
      /- Broken: .*broken\.yaml: It is not an OpenAPI document: .*\n {2}- Other: .*other\.yaml: The file is empty\./,
    );
  });
});

describe('a project of which one document is none', () => {
  async function serveBoth(content: string | Uint8Array) {
    const upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title: 'A post' }]));
    onTestFinished(() => upstream.close());
    const project = createProject({
      '.meshrc.yaml': `sources:\n${BROKEN}${sourceOf('Posts', './posts.yaml', upstream.url)}`,
      'broken.yaml': content,
      'posts.yaml': documentOf('Post'),
    });
    return { project, gateway: await serveProject(project) };
  }

  it('is served with the others, and says so', async () => {
    const { project, gateway } = await serveBoth('swagger: "1.2"');
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect(await gateway.json('/odata/Post?$select=Title')).toMatchObject({ value: [{ Title: 'A post' }] });
    expect(await gateway.json('/graphql?query={__schema{queryType{fields{name}}}}')).toStrictEqual({
      data: {
        __schema: {
          queryType: {
            fields: ['posts', 'postsConnection', 'post', 'node', 'nodes'].map((name) => ({ name })),
          },
        },
      },
    });
    const metadata = await (await fetch(`${gateway.gateway.url}/odata/$metadata`)).text();
    expect(metadata.match(/ Namespace="[^".]+"/g)).toStrictEqual([' Namespace="Posts"']);
    const errors = gateway.entries().filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([
      {
        source: 'Broken',
        pointer: '',
        msg: expect.stringMatching(`^${project.path('broken.yaml')}: Its \`swagger\` version must be`),
      },
    ]);
    expect(gateway.entries().find(({ msg }) => msg === 'serving')).toMatchObject({
      upstreams: [{ name: 'Posts' }],
    });
  });

  it('is served whole when that is repaired', async () => {
    const { project, gateway } = await serveBoth('openapi: 3.1.0\npaths: [');
    project.write('broken.yaml', documentOf('Note'));
    await expect.poll(gateway.entitySets, { timeout: 15_000 }).toStrictEqual(['Note', 'Post']);
  });

  it('takes in changes of the others', async () => {
    const { project, gateway } = await serveBoth('');
    project.write('posts.yaml', documentOf('Task'));
    await expect.poll(gateway.entitySets, { timeout: 15_000 }).toStrictEqual(['Task']);
  });
});
