import type { Log } from '../contract/log.ts';
import { digestFiles, type FileDigests, haveChanged } from '../openapi/file-reader.ts';
import type { ProjectState } from './plan/prepare-project.ts';
import { watchDirectories } from './watched-directories.ts';

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

export interface ProjectWatcher {
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
export function watchProject({ digests, prepare, reload, log }: ProjectWatcherOptions): ProjectWatcher {
  const directories = watchDirectories(expectChange, log);
  let tried = digests;
  let isClosed = false;
  let firstEvent: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

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
      if (!haveChanged(tried)) return;
      // Where nothing comes of it, it is not tried again before one of these files changes.
      tried = digestFiles(tried.keys());
      failure = undefined;
      await tryOnce().catch((err: unknown) => {
        failure = { error: err };
        if (!isClosed)
          log.error({ err }, 'the changed project cannot be served: the earlier one is served on');
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
