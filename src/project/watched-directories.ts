import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../contract/log.ts';

/** Directories in which changes are listened for. */
export interface WatchedDirectories {
  /** Watches the directories of these files, and no others any more. */
  follow(files: readonly string[]): void;
  close(): void;
}

/**
 * Calls `onEvent` at every change in a watched directory, of whatever file: editors and deployments put
 * another file, or a link to one, in the place of the old one, and what is watched by name is then lost.
 */
export function watchDirectories(onEvent: () => void, log: Log): WatchedDirectories {
  const watchers = new Map<string, FSWatcher>();

  function open(key: string, directory: string): void {
    const giveUp = (err: unknown): void => {
      log.warn({ err, directory }, 'changes in the directory are not noticed');
    };
    try {
      const watcher = watch(directory, { persistent: false }, onEvent);
      watchers.set(key, watcher);
      watcher.on('error', (err) => {
        watcher.close();
        if (watchers.get(key) === watcher) watchers.delete(key);
        giveUp(err);
      });
    } catch (err) {
      giveUp(err);
    }
  }

  function closeOthers(wanted: ReadonlyMap<string, string>): void {
    for (const [key, watcher] of watchers) {
      if (wanted.has(key)) continue;
      watcher.close();
      watchers.delete(key);
    }
  }

  return {
    follow(files) {
      const wanted = new Map(files.flatMap(directoriesOf).map((path) => [identityOf(path), path]));
      closeOthers(wanted);
      for (const [key, directory] of wanted) if (!watchers.has(key)) open(key, directory);
    },
    close: () => closeOthers(new Map()),
  };
}

/** Where the file's name stands, and where the file lies: the name may be a link. */
function directoriesOf(file: string): readonly string[] {
  const place = nearestDirectory(dirname(file));
  try {
    return [place, dirname(realpathSync(file))];
  } catch {
    return [place];
  }
}

/** A directory that is not there is waited for in the one above it. */
function nearestDirectory(directory: string): string {
  const parent = dirname(directory);
  return parent === directory || isDirectory(directory) ? directory : nearestDirectory(parent);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Differs between a directory and another one that has taken its place: a watcher stays with the old one. */
function identityOf(directory: string): string {
  const found = statSync(directory, { throwIfNoEntry: false });
  return `${directory}\n${found?.dev}:${found?.ino}:${found?.birthtimeMs}`;
}
