import { mkdirSync, utimesSync } from 'node:fs';
import { expect, it } from 'vitest';
import { postsProject, serveRegistry } from './registry-gateway.ts';

it('starts and stops where what an earlier process has left behind cannot be removed', async () => {
  const project = postsProject('http://127.0.0.1:9');
  const left = project.path('.api.yaml.0123456789ab.tmp');
  mkdirSync(left);
  utimesSync(left, 0, 0);
  const { gateway, entries } = await serveRegistry(project);
  await gateway.close();
  expect(entries()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'files that an earlier process has left behind are not removed',
    }),
  );
});
