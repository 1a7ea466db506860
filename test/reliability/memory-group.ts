import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of cgroups 2 and 1. */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup',
    list: 'cgroup.subtree_control',
    settings: (bytes: number) => ({ 'memory.max': bytes, 'memory.swap.max': 0 }),
  },
  {
    root: '/sys/fs/cgroup/memory',
    list: undefined,
    settings: (bytes: number) => ({ 'memory.limit_in_bytes': bytes, 'memory.swappiness': 0 }),
  },
] as const;

/** A bound on the memory of processes, as a container has it: the system ends who goes beyond. */
export interface MemoryGroup {
  /** A process that writes its id there belongs to the group. */
  readonly members: string;
  remove(): void;
}

/** Undefined if the test may not create one. */
export function createMemoryGroup(name: string, bytes: number): MemoryGroup | undefined {
  for (const { root, list, settings } of VERSIONS) {
    const folder = join(root, `duogate-${process.pid}-${name}`);
    try {
      if (list !== undefined && !readFileSync(join(root, list), 'utf8').includes('memory')) continue;
      if (!existsSync(root)) continue;
      mkdirSync(folder);
      for (const [file, value] of Object.entries(settings(bytes))) {
        if (existsSync(join(folder, file))) writeFileSync(join(folder, file), String(value));
      }
      return { members: join(folder, 'cgroup.procs'), remove: () => rmdirSync(folder) };
    } catch {
      // Another version of cgroups, or missing permissions.
    }
  }
  return undefined;
}
