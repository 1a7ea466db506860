import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outcome } from './command.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'duogate-empty-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const ofSettings = (folder: string) => `The configuration cannot be used:
  - MESH_CONFIG is missing, and there is no .meshrc.yaml in "${folder}": go to a project's folder, or make one with duogate init
`;
const ofModel = () => 'There is no project here. Name an OpenAPI file.\n';

const COMMANDS: readonly (readonly [string, (folder: string) => string])[] = [
  ['api list', ofSettings],
  ['api show Posts', ofSettings],
  ['api add Posts', ofSettings],
  ['api remove Posts', ofSettings],
  ['api delete Posts', ofSettings],
  ['api history Posts', ofSettings],
  ['api restore Posts 1', ofSettings],
  ['api fetch Posts', ofSettings],
  ['try Posts GET /posts', ofSettings],
  ['grant User Post View', ofSettings],
  ['user list', ofSettings],
  ['user invite ada@example.com', ofSettings],
  ['user role ada@example.com User', ofSettings],
  ['key list ada@example.com', ofSettings],
  ['audit', ofSettings],
  ['model', ofModel],
  ['grants', ofModel],
  ['schema', ofModel],
  [
    'serve',
    () =>
      'There is no project here. Name an OpenAPI file, its URL or a folder, create a project with duogate init,\n' +
      'or see what Duogate does with duogate demo.\n',
  ],
];

describe('a folder without a project', () => {
  it.each(COMMANDS)('is told to whoever runs duogate %s', async (words, message) => {
    const folder = await emptyFolder();
    const { code, stdout, stderr } = await outcome(words.split(' '), {}, '', folder);
    expect({ code, stdout, stderr }).toStrictEqual({ code: 1, stdout: '', stderr: message(folder) });
  });
});
