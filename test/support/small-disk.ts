import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'duogate-disk-'));
  try {
    mount(folder);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** True if disks can be mounted; otherwise, a message is printed. */
export const CAN_MOUNT = canMount();
if (!CAN_MOUNT) console.warn('Full disks are not tested: no disk can be mounted here.');

/** Mounts a disk with room for some documents until the end of the test. */
export function mountSmallDisk(folder: string): void {
  mount(folder);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
}
