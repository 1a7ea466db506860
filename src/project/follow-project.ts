import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../contract/log.ts';
import { digestFiles, type FileDigests, haveChanged } from '../openapi/file-reader.ts';
import { assertConfirmedLosses } from './assert-confirmed-losses.ts';
import { assertNoLosses } from './plan/assert-no-losses.ts';
import { projectError, type ServedPlan, writeFinding } from './plan/plan.ts';
import { type PreparedPlan, type ProjectState, preparedPlan } from './plan/prepare-project.ts';
import { logChange } from './plan/project-log.ts';

/** All that is made of a plan; replaced in whole. */
export interface Service {
  readonly plan: ServedPlan;
  /** Lets what is under way come to its end. */
  destroy(): Promise<void>;
}

interface FollowOptions<Made extends Service> {
  /** What the project's files held when the first service was made of them, and when they were read. */
  readonly began: Pick<ProjectState, 'readAt' | 'digests'>;
  readonly first: Made;
  /** Finds out what the files hold now; rejects where that takes too long. */
  readonly prepare: () => Promise<ProjectState>;
  readonly open: (prepared: PreparedPlan) => Promise<Made>;
  /** Has it serve in the place of the one before; resolves when that one has no request left. */
  readonly replace: (next: Made) => Promise<void>;
  /**
   * The messages of what has been confirmed since a moment that takes something from users; where this is not given,
   * nothing has to be.
   */
  readonly confirmedSince?: ((moment: Date) => ReadonlySet<string>) | undefined;
  /** The sources whose documents may give no rights without a confirmation; undefined if rights do not matter. */
  readonly documentsFromNetwork?: (() => (source: string) => boolean) | undefined;
  readonly log: Log;
}

export interface ProjectReloader<Made extends Service> {
  /** What serves at the moment. */
  readonly serving: Made;
  /** Why the files as they were last looked at are not what serves; undefined where they are. */
  readonly refusal: string | undefined;
  /**
   * Resolves when the files as they are now are served; rejects with the reason where they cannot be. What takes
   * something from users must be among the confirmed messages.
   */
  settle(confirmed?: readonly string[]): Promise<void>;
  /** Follows no more; gives the services that are still open. */
  stop(): Promise<readonly Made[]>;
}

/** Serves each later state of the project that can be served, in the place of the one before it. */
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

/** A file that is being written may be no OpenAPI document yet: that takes no API away. */
export function assertNoLostSources(earlier: ServedPlan, later: ServedPlan): void {
  const known = new Set(earlier.unserved.map(({ source }) => source));
  const lost = later.unserved.filter(({ source }) => !known.has(source));
  if (lost.length > 0) throw projectError(lost.map(writeFinding));
}

interface ProjectWatcherOptions {
  /** What the project's files held when it was read first. */
  readonly digests: FileDigests;
  /**
   * Called when a file holds something else, never while an earlier call is under way. The files that were read are
   * the project's from then on.
   */
  readonly prepare: () => Promise<ProjectState>;
  /** Serves what was found; what it throws is logged. */
  readonly reload: (state: ProjectState) => Promise<void>;
  readonly log: Log;
}

interface ProjectWatcher {
  /** What the last reload threw; undefined where it threw nothing. */
  readonly failure: string | undefined;
  /**
   * Looks at once; resolves when what the files hold now is reloaded. Rejects with what the last reload threw,
   * where that is what they held then.
   */
  settle(): Promise<void>;
  /** Reloads no more; resolves when the reload under way has come to its end. */
  close(): Promise<void>;
}

/** Whoever writes a file does so in steps: they are over when nothing has happened for this long. */
const QUIET_MS = 100;

/** What never comes to rest is looked at all the same. */
const LONGEST_WAIT_MS = 2_000;

/** Watches the files of a project and has it reloaded when they change. It never throws. */
function watchProject({ digests, prepare, reload, log }: ProjectWatcherOptions): ProjectWatcher {
  const directories = watchDirectories(expectChange, log);
  let tried = digests;
  let isClosed = false;
  let firstEvent: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  let isAskedAgain = false;

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

  /** Looks again after each reload: what has come to the project may have changed before it was watched. */
  async function catchUp(): Promise<void> {
    while (!isClosed) {
      directories.follow([...tried.keys()]);
      if (!haveChanged(tried) && !isAskedAgain) return;
      isAskedAgain = false;
      // Where nothing comes of it, it is not tried again before one of these files changes.
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
      // It may be confirmed now.
      isAskedAgain = failure !== undefined;
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

/** Directories in which changes are listened for. */
interface WatchedDirectories {
  /** Watches the directories of these files, and no others any more. */
  follow(files: readonly string[]): void;
  close(): void;
}

/**
 * Calls `onEvent` at every change in a watched directory, of whatever file: editors and deployments put
 * another file, or a link to one, in the place of the old one, and what is watched by name is then lost.
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
