import type { Log } from '../contract/log.ts';
import type { FileDigests } from '../openapi/file-reader.ts';
import { projectError, type ServedPlan, writeFinding } from './plan/plan.ts';
import { type PreparedPlan, type ProjectState, preparedPlan } from './plan/prepare-project.ts';
import { logChange } from './plan/project-log.ts';
import { refuseLosses } from './plan/refuse-losses.ts';
import { watchProject } from './project-watcher.ts';

/** All that is made of a plan; replaced in whole. */
export interface Service {
  readonly plan: ServedPlan;
  /** Lets what is under way come to its end. */
  destroy(): Promise<void>;
}

interface FollowOptions<Made extends Service> {
  /** What the project's files held when the first service was made of them. */
  readonly digests: FileDigests;
  readonly first: Made;
  /** Finds out what the files hold now; rejects where that takes too long. */
  readonly prepare: () => Promise<ProjectState>;
  readonly open: (prepared: PreparedPlan) => Promise<Made>;
  /** Has it serve in the place of the one before; resolves when that one has no request left. */
  readonly replace: (next: Made) => Promise<void>;
  readonly log: Log;
}

export interface ProjectReloader<Made extends Service> {
  /** What serves at the moment. */
  readonly serving: Made;
  /** Why the files as they were last looked at are not what serves; undefined where they are. */
  readonly refusal: string | undefined;
  /** Resolves when the files as they are now are served; rejects with the reason where they cannot be. */
  settle(): Promise<void>;
  /** Follows no more; gives the services that are still open. */
  stop(): Promise<readonly Made[]>;
}

/** Serves each later state of the project that can be served, in the place of the one before it. */
export function followProject<Made extends Service>(options: FollowOptions<Made>): ProjectReloader<Made> {
  const { digests, first, log } = options;
  const open = new Set([first]);
  let serving = first;

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

  async function reload(state: ProjectState): Promise<void> {
    const prepared = preparedPlan(state);
    refuseLostSources(serving.plan, prepared.plan);
    refuseLosses(serving.plan, prepared.plan);
    const next = await options.open(prepared);
    try {
      swap(next);
    } catch (error) {
      await next.destroy();
      throw error;
    }
  }

  const watcher = watchProject({ digests, prepare: options.prepare, reload, log });
  return {
    get serving() {
      return serving;
    },
    get refusal() {
      return watcher.failure;
    },
    settle: () => watcher.settle(),
    async stop() {
      await watcher.close();
      const services = [...open];
      open.clear();
      return services;
    },
  };
}

/** A file that is being written may be no OpenAPI document yet: that takes no API away. */
export function refuseLostSources(earlier: ServedPlan, later: ServedPlan): void {
  const known = new Set(earlier.unserved.map(({ source }) => source));
  const lost = later.unserved.filter(({ source }) => !known.has(source));
  if (lost.length > 0) throw projectError(lost.map(writeFinding));
}
