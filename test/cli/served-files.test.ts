import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { outcome, temporaryFile } from './command.ts';

const document = (entity: string): Readonly<Record<string, unknown>> => parse(documentOf(entity));

describe('duogate serve with a folder of OpenAPI files', () => {
  it('serves each of them, however it is written, and no other file', async () => {
    const { openapi, ...rest } = document('Memo');
    const folder = dirname(await temporaryFile('posts.yaml', documentOf('Post')));
    const files = {
      'notes.json': JSON.stringify(document('Note')),
      'memos.json': JSON.stringify({ ...rest, openapi }),
      'tasks.json': `\n  ${JSON.stringify(document('Task'), undefined, 2)}`,
      'package.json': '{"name": "x", "openapi-typescript": {"openapi": "3.1.0"}}',
      'settings.yaml': 'tools:\n  openapi: 3.1.0\n',
      'list.json': '[{"openapi": "3.1.0"}]',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
    const { code, stdout, stderr } = await outcome(['serve', '.', '--auth', 'off'], {}, '', folder);
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(/Tables +(.*)/.exec(stdout)?.[1]).toBe('Memo, Note, Post, Task');
  });

  it('says what is wrong with one that is half written', async () => {
    const file = await temporaryFile('posts.yaml', `${documentOf('Post')}\n"`);
    const { code, stderr } = await outcome(['serve', '.', '--auth', 'off'], {}, '', dirname(file));
    expect([code, stderr]).toStrictEqual([1, expect.stringContaining('posts.yaml')]);
  });

  it('says where there is none', async () => {
    const file = await temporaryFile('settings.yaml', 'tools:\n  openapi: 3.1.0\n');
    expect(await outcome(['serve', '.'], {}, '', dirname(file))).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'There is neither .meshrc.yaml nor an OpenAPI file in ".".\n',
    });
  });
});

describe('duogate serve with a project that is elsewhere', () => {
  const project = () =>
    createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Memos', './memos.yaml', 'http://127.0.0.1:9')}`,
      'memos.yaml': documentOf('Memo'),
    });

  it.each(['', '/.meshrc.yaml'])('serves the project at %j of its folder', async (file) => {
    const place = `${project().directory}${file}`;
    const { code, stdout, stderr } = await outcome(['serve', place, '--auth', 'off'], {}, '', tmpdir());
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(/Tables +(.*)/.exec(stdout)?.[1]).toBe('Memo');
  });

  it('takes no --upstream: the project says where its APIs are', async () => {
    const options = ['--upstream', 'http://127.0.0.1:9'];
    expect(await outcome(['serve', project().directory, ...options])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: '--upstream needs a FILE or a URL: a project says where its APIs are.\n',
    });
  });

  it('says where there is nothing', async () => {
    expect(await outcome(['serve', 'nowhere.yaml'])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no file or folder nowhere.yaml.\n',
    });
  });
});

describe('a URL that is none', () => {
  it.each(['serve http://', 'serve https://:80/x'])('is told to whoever runs duogate %s', async (words) => {
    const { code, stdout, stderr } = await outcome(words.split(' '));
    const url = words.split(' ').at(-1);
    expect({ code, stdout, stderr }).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: `"${url}" is not a URL.\n`,
    });
  });
});
