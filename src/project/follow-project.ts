import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../contract/log.ts';
import { digestFiles, type FileDigests, hasChanged } from '../openapi/file-reader.ts';
import { assertConfirmedLosses } from './assert-confirmed-losses.ts';
import { assertNoLosses } from './plan/assert-no-losses.ts';
import { projectError, type ServedPlan, writeFinding } from './plan/plan.ts';
import { type PreparedPlan, type ProjectState, preparedPlan } from './plan/prepare-project.ts';
import { logChange } from './plan/project-log.ts';

/** Everything built from a plan; replaced as a whole. */
export interface Service {
  readonly plan: ServedPlan;
  /** Lets running requests finish. */
  destroy(): Promise<void>;
}

interface FollowOptions<Made extends Service> {
  /** The files of the first service and the moment they were read. */
  readonly began: Pick<ProjectState, 'readAt' | 'digests'>;
  readonly first: Made;
  /** Reads the current state of the files; rejects if that takes too long. */
  readonly prepare: () => Promise<ProjectState>;
  readonly open: (prepared: PreparedPlan) => Promise<Made>;
  /** Replaces the running service; resolves when the previous one has no more requests. */
  readonly replace: (next: Made) => Promise<void>;
  /**
   * The messages of breaking changes that were confirmed since a moment; undefined if no confirmation is
   * required.
   */
  readonly confirmedSince?: ((moment: Date) => ReadonlySet<string>) | undefined;
  /**
   * Identifies sources whose documents may not grant permissions without a confirmation; undefined without
   * access control.
   */
  readonly documentsFromNetwork?: (() => (source: string) => boolean) | undefined;
  readonly log: Log;
}

export interface ProjectReloader<Made extends Service> {
  /** The running service. */
  readonly serving: Made;
  /** The reason why the current files are not served; undefined if they are. */
  readonly refusal: string | undefined;
  /**
   * Resolves when the current files are served; rejects with the reason if they cannot be. Breaking changes
   * must be among the confirmed messages.
   */
  settle(confirmed?: readonly string[]): Promise<void>;
  /** Stops following; returns the services that are still open. */
  stop(): Promise<readonly Made[]>;
}

/** Serves each later valid state of the project. */
export function followProject<Made extends Service>(options: FollowOptions<Made>): ProjectReloader<Made> {
  const { began, first, confirmedSince, documentsFromNetwork = () => () => false, log } = options;
  const open = new Set([first]);
  let serving = first;
  let servingSince = began.readAt;
  let confirmedNow: readonly string[] = [];

  function swap(next: Made): void {
    const earlier = serving;
    const answered = options.replace(next);
    serving = next;
    open.add(next);
    logChange(earlier.plan, next.plan, log);
    retire(earlier, answered).catch((err: unknown) => log.error({ err }, 'a mesh could not be closed'));
  }

  async function retire(service: Made, answered: Promise<void>): Promise<void> {
    await answered;
    if (open.delete(service)) await service.destroy();
  }

  function assertConfirmed(later: ServedPlan): void {
    if (confirmedSince === undefined) return;
    const confirmed = () => new Set([...confirmedNow, ...confirmedSince(servingSince)]);
    assertConfirmedLosses(serving.plan, later, confirmed, documentsFromNetwork());
  }

  async function reload(state: ProjectState): Promise<void> {
    const prepared = preparedPlan(state);
    assertNoLostSources(serving.plan, prepared.plan);
    assertNoLosses(serving.plan, prepared.plan);
    assertConfirmed(prepared.plan);
    const next = await options.open(prepared);
    try {
      swap(next);
      servingSince = state.readAt;
    } catch (error) {
      await next.destroy();
      throw error;
    }
  }

  const watcher = watchProject({ digests: began.digests, prepare: options.prepare, reload, log });
  return {
    get serving() {
      return serving;
    },
    get refusal() {
      return watcher.failure;
    },
    async settle(confirmed = []) {
      confirmedNow = confirmed;
      try {
        await watcher.settle();
      } finally {
        confirmedNow = [];
      }
    },
    async stop() {
      await watcher.close();
      const services = [...open];
      open.clear();
      return services;
    },
  };
}

/** A partly written file may not be a valid document; its source must not disappear because of that. */
export function assertNoLostSources(earlier: ServedPlan, later: ServedPlan): void {
  const known = new Set(earlier.unserved.map(({ source }) => source));
  const lost = later.unserved.filter(({ source }) => !known.has(source));
  if (lost.length > 0) throw projectError(lost.map(writeFinding));
}

interface ProjectWatcherOptions {
  /** The digests of the files at the first read. */
  readonly digests: FileDigests;
  /** Called when a file has changed, never concurrently. The files that it reads are watched from then on. */
  readonly prepare: () => Promise<ProjectState>;
  /** Serves the new state; errors are logged. */
  readonly reload: (state: ProjectState) => Promise<void>;
  readonly log: Log;
}

interface ProjectWatcher {
  /** The error of the last reload, if any. */
  readonly failure: string | undefined;
  /**
   * Checks at once; resolves when the current files are loaded. Rejects with the error of the last reload if
   * the files have not changed since.
   */
  settle(): Promise<void>;
  /** Stops watching; resolves when a running reload has finished. */
  close(): Promise<void>;
}

/** Time without changes after which a file is considered complete. */
const QUIET_MS = 100;

/** Longest wait for a pause in the changes. */
const LONGEST_WAIT_MS = 2_000;

/** Watches the files of a project and reloads it on changes. Never throws. */
function watchProject({ digests, prepare, reload, log }: ProjectWatcherOptions): ProjectWatcher {
  const directories = watchDirectories(expectChange, log);
  let tried = digests;
  let isClosed = false;
  let firstEvent: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  let isRetryRequested = false;

  function expectChange(): void {
    if (isClosed) return;
    const now = performance.now();
    firstEvent ??= now;
    clearTimeout(timer);
    timer = setTimeout(look, Math.min(QUIET_MS, firstEvent + LONGEST_WAIT_MS - now)).unref();
  }

  function look(): void {
    firstEvent = undefined;
    running = running.then(catchUp).catch((err: unknown) => {
      log.error({ err }, 'changes of the project are not noticed');
    });
  }

  /** Checks again after each reload, because new files may have changed before they were watched. */
  async function catchUp(): Promise<void> {
    while (!isClosed) {
      directories.follow([...tried.keys()]);
      if (!hasChanged(tried) && !isRetryRequested) return;
      isRetryRequested = false;
      // After a failure, the next attempt waits for a change of these files.
      tried = digestFiles(tried.keys());
      failure = undefined;
      await tryOnce().catch((err: unknown) => {
        failure = { error: err };
        if (!isClosed)
          log.error({ err }, 'the changed project cannot be served: the earlier one stays in service');
      });
    }
  }

  async function tryOnce(): Promise<void> {
    const state = await prepare();
    tried = state.digests;
    await reload(state);
  }

  look();
  return {
    get failure() {
      if (failure === undefined) return undefined;
      return failure.error instanceof Error ? failure.error.message : String(failure.error);
    },
    async settle() {
      // A confirmation may have arrived since.
      isRetryRequested = failure !== undefined;
      look();
      await running;
      if (failure !== undefined) throw failure.error;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      directories.close();
      return running;
    },
  };
}

interface WatchedDirectories {
  /** Watches the directories of these files, and no others. */
  follow(files: readonly string[]): void;
  close(): void;
}

/**
 * Calls `onEvent` for every change in a watched directory, because editors and deployments replace files or
 * links, which ends a watch by name.
 */
function watchDirectories(onEvent: () => void, log: Log): WatchedDirectories {
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

/** The directories of the name and of the file itself, which differ for a link. */
function directoriesOf(file: string): readonly string[] {
  const place = nearestDirectory(dirname(file));
  try {
    return [place, dirname(realpathSync(file))];
  } catch {
    return [place];
  }
}

/** The nearest existing directory above. */
function nearestDirectory(directory: string): string {
  const parent = dirname(directory);
  return parent === directory || isDirectory(directory) ? directory : nearestDirectory(parent);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Detects a replaced directory, because watchers stay with the old one. */
function identityOf(directory: string): string {
  const found = statSync(directory, { throwIfNoEntry: false });
  return `${directory}\n${found?.dev}:${found?.ino}:${found?.birthtimeMs}`;
}
