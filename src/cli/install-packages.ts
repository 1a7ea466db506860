import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `node install-packages.ts <folder> …`: installs the packages of folders without `node_modules`. */
for (const folder of process.argv.slice(2)) {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) continue;
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
}
