import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentOf, sourceOf } from '../support/temporary-project.ts';
import { documentAt, postsProject, register, serveRegistry } from './registry-gateway.ts';

async function served() {
  const upstream = await startStandInUpstream((_, reply) => reply.json([]));
  onTestFinished(() => upstream.close());
  return { upstream, project: postsProject(upstream.url) };
}

describe.skipIf(!CAN_MOUNT)('a disk without room', () => {
  it('is told of with 507, and nothing is changed', async () => {
    const { upstream, project } = await served();
    const folder = project.path('openapi');
    mountSmallDisk(folder);
    project.write('openapi/posts.yaml', documentOf('Post'));
    const gateway = await serveRegistry(project);
    expect((await register(gateway, 'Note', upstream.url)).status).toBe(201);
    await gateway.ask('PUT', '/Notes', { description: 'Words' });
    const history = (await gateway.ask('GET', '/Notes/history')).body;
    const before = readdirSync(folder, { recursive: true }).sort();
    const filler = project.path('openapi/filler');
    try {
      writeFileSync(filler, Buffer.alloc(64 * 1024));
    } catch {
      // As much of it as there is room for has been written.
    }
    const { status, body } = await register(gateway, 'Memo', upstream.url);
    expect([status, body.error]).toStrictEqual([
      507,
      {
        code: 'InsufficientStorage',
        message: 'There is no room on the disk for the files of the project: nothing is changed.',
      },
    ]);
    expect((await gateway.ask('PUT', '/Notes', { description: 'Other words' })).status).toBe(507);
    rmSync(filler);
    expect(readdirSync(folder, { recursive: true }).sort()).toStrictEqual(before);
    expect((await gateway.ask('GET', '/Notes/history')).body).toStrictEqual(history);
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(documentAt('Note', upstream.url));
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect((await register(gateway, 'Memo', upstream.url)).status).toBe(201);
  });
});

describe('a file that was left by a process that was killed', () => {
  it('is cleared away at the next start; what is somebody else’s stays', async () => {
    const { project } = await served();
    const left = [
      '.meshrc.yaml.0123456789ab.tmp',
      '..meshrc.yaml.0123456789ab.tmp',
      'notes.tmp',
      '.notes.tmp',
    ];
    for (const name of left) {
      for (const file of [name, `openapi/${name}`, `openapi/.history/${name}`]) {
        project.write(file, 'x');
      }
    }
    const gateway = await serveRegistry(project);
    await gateway.gateway.close();
    const names = (folder: string) =>
      readdirSync(project.path(folder)).filter((name) => name.includes('tmp'));
    for (const folder of ['.', 'openapi', 'openapi/.history']) {
      expect(names(folder)).toStrictEqual(['.notes.tmp', 'notes.tmp']);
    }
  });

  it('stays while another process changes the project', async () => {
    const { project } = await served();
    const name = '.notes.yaml.0123456789ab.tmp';
    project.write(name, 'x');
    project.write('.duogate.lock', JSON.stringify({ place: 'another', pid: 1, life: 'its', lock: 'its' }));
    const { gateway } = await serveRegistry(project);
    await gateway.close();
    expect(readdirSync(project.path('.'))).toContain(name);
  });
});

describe('a note of an unfinished change that somebody has put into a project', () => {
  const digest = (text: string) => hash('sha256', text);
  const copy = '.evil.0123456789ab.tmp';
  it.each([
    ['writes no file elsewhere', { file: '../../outside.yaml', earlier: copy, later: null }],
    ['removes no file elsewhere', { file: '../../victim.yaml', earlier: null, later: digest('mine') }],
    ['takes no file from elsewhere', { file: 'new.yaml', earlier: '../../victim.yaml', later: null }],
    ['writes nothing behind a link', { file: 'link/new.yaml', earlier: copy, later: null }],
  ])('%s', async (_, change) => {
    const { project: outer, upstream } = await served();
    outer.write('victim.yaml', 'mine');
    outer.write('elsewhere/file', 'mine');
    const inner = { ...outer, path: (file: string) => outer.path(`inner/${file}`) };
    outer.write('inner/.meshrc.yaml', `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}`);
    outer.write('inner/openapi/posts.yaml', documentOf('Post'));
    outer.write(`inner/openapi/${copy}`, 'evil');
    outer.write(`inner/${copy}`, 'evil');
    symlinkSync(outer.path('elsewhere'), inner.path('openapi/link'));
    const note = 'inner/openapi/.change.00000000-0000-4000-8000-000000000000.json';
    outer.write(note, JSON.stringify({ host: 'x', pid: 1, life: 'x', files: [change] }));
    utimesSync(outer.path(note), 0, 0);
    const outside = () =>
      readdirSync(outer.directory, { recursive: true, encoding: 'utf8' })
        .filter((file) => !file.startsWith('inner'))
        .sort();
    const before = outside();
    const gateway = await serveRegistry(inner);
    await gateway.gateway.close();
    expect(outside()).toStrictEqual(before);
    expect(readFileSync(outer.path('victim.yaml'), 'utf8')).toBe('mine');
  });
});
