import { describe, expect, it } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startFailure } from '../../src/serve.ts';
import { createLogger } from '../../src/server/logger.ts';
import { postsProject } from '../registry/registry-gateway.ts';
import { sharedExaminer } from '../support/shared-examiner.ts';

/** The error of a start with an unusable database. */
async function failureOf(place: string): Promise<string> {
  const project = postsProject('http://127.0.0.1:9');
  project.write(
    'text.sqlite',
    'A text that is long enough to be taken for the head of a file of a database.',
  );
  project.write('folder.sqlite/x', '');
  const config = readConfig({
    PORT: '0',
    AUTH_SECRET: 'x'.repeat(32),
    MESH_CONFIG: project.path('.meshrc.yaml'),
    DATABASE_URL: place.includes('/') ? place : project.path(place),
    DATABASE_WAIT_MS: '0',
  });
  const started = startGateway(config, createLogger({ level: 'silent' }), sharedExaminer);
  const error: unknown = await started.then(
    (gateway) => gateway.close(),
    (reason: unknown) => reason,
  );
  return startFailure(error).replaceAll(`${project.directory}/`, '');
}

describe('a database that cannot be opened', () => {
  it.each([
    ['text.sqlite', 'The accounts database text.sqlite cannot be opened: file is not a database'],
    ['folder.sqlite', 'The accounts database folder.sqlite cannot be opened: unable to open database file'],
    [
      'postgres://user:secret@127.0.0.1:1/duogate',
      'The accounts database postgres://127.0.0.1:1/duogate cannot be opened: connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('is told of in words, with its place: %s', async (place, told) => {
    expect(await failureOf(place)).toBe(told);
  });

  it.skipIf(process.platform !== 'linux')(
    'keeps nobody waiting for folders that cannot be made',
    async () => {
      expect(await failureOf('/proc/nowhere/accounts.sqlite')).toMatch(
        /^The accounts database \/proc\/nowhere\//,
      );
    },
  );
});
