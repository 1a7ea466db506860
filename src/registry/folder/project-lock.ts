import { hash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { open, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { GatewayError } from '../../contract/gateway-error.ts';
import { digestFiles } from '../../openapi/file-reader.ts';
import type { ApiFolder } from './api-folder.ts';
import { notStored } from './not-stored.ts';

/** The right to change the files of a project, which one process has at a time. */
export interface ProjectLock {
  /** Remembers what files hold now, before anything is decided by it; the first call for a file counts. */
  remember(files: Iterable<string>): void;
  /** Throws Conflict if another process has taken the lock over, or one of the remembered files has changed. */
  assertUnchanged(files: Iterable<string>): Promise<void>;
  /** False if another process has taken the lock over. */
  isHeld(): Promise<boolean>;
}

interface LockOptions {
  /** Milliseconds to wait for another process. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Long enough to find out that a process on another machine has ended. */
const WAIT_MS = 60_000;
const ATTEMPT_MS = 50;
const BEAT_MS = 2_000;
/** A lock that is not touched for so long has been left behind, whatever machine its process was on. */
const SILENCE_MS = 30_000;

/**
 * Does the work while no other process changes the project. Throws Overloaded if another process keeps the lock.
 *
 * The lock is a file beside the project file that is created exclusively, which file systems of networks do, too. Its
 * process touches it all the time. It counts as left behind if that process is known to have ended, or if a process that
 * waits has seen nothing touch it for long: clocks of machines are never compared.
 */
export async function whileLocked<Result>(
  folder: ApiFolder,
  work: (lock: ProjectLock) => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const path = lockFile(folder);
  const text = JSON.stringify({
    place: PLACE,
    pid: process.pid,
    life: LIFE,
    lock: randomUUID(),
  } satisfies Owner);
  await acquire(path, text, options).catch((error: unknown) => {
    throw error instanceof GatewayError || options.signal?.aborted === true
      ? error
      : notStored(folder, error);
  });
  const beating = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS).unref();
  const isHeld = async (): Promise<boolean> => (await readLock(path))?.text === text;
  try {
    return await work(createLock(folder, isHeld));
  } finally {
    clearInterval(beating);
    if (await isHeld()) await removeFile(path);
  }
}

/** Whether a process has the lock, or has left it behind. */
export async function isLocked(folder: ApiFolder): Promise<boolean> {
  return (await readLock(lockFile(folder))) !== undefined;
}

function lockFile({ projectFile }: ApiFolder): string {
  return join(dirname(projectFile), '.duogate.lock');
}

function createLock(folder: ApiFolder, isHeld: () => Promise<boolean>): ProjectLock {
  const remembered = new Map<string, string>();
  const changed = (what: string): GatewayError =>
    new GatewayError(
      'Conflict',
      `${what} while this change was prepared: nothing is changed. Repeat the request.`,
    );
  return {
    remember(files) {
      for (const [file, digest] of digestFiles(files))
        if (!remembered.has(file)) remembered.set(file, digest);
    },
    async assertUnchanged(files) {
      if (!(await isHeld())) throw changed('Another process has changed the project');
      for (const [file, digest] of digestFiles(files)) {
        if ((remembered.get(file) ?? digest) !== digest)
          throw changed(`${relative(folder.root, file)} was changed`);
      }
    },
    isHeld,
  };
}

async function acquire(path: string, text: string, { waitMs = WAIT_MS, signal }: LockOptions): Promise<void> {
  const until = performance.now() + waitMs;
  let watched: WatchedLock | undefined;
  while (!(await create(path, text))) {
    const found = await readLock(path);
    watched = found && watchLock(found, watched);
    if (watched !== undefined && isLeftBehind(watched)) await breakLock(path, watched);
    else if (performance.now() >= until) throw lockedByAnother();
    else await delay(ATTEMPT_MS, undefined, { signal });
  }
}

function lockedByAnother(): GatewayError {
  const message = 'Another process is changing the project. Repeat the request when it is done.';
  return new GatewayError('Overloaded', message, { headers: { 'retry-after': '5' } });
}

/** An id of this process: in a container, one process after another has the same number. */
const LIFE = randomUUID();

/** Differs where a process's number means another process: on other machines, after their restart, in other containers. */
const PLACE = hash(
  'sha256',
  [
    hostname(),
    orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    orNothing(() => readlinkSync('/proc/self/ns/pid')),
  ].join('\n'),
);

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

const OWNER = z.object({ place: z.string(), pid: z.number(), life: z.string(), lock: z.string() });
type Owner = z.infer<typeof OWNER>;

interface FoundLock {
  readonly text: string;
  readonly touched: number;
}

/** A lock of another, and since when this process has seen nothing touch it. */
interface WatchedLock extends FoundLock {
  readonly unchangedSince: number;
}

function watchLock(found: FoundLock, earlier: WatchedLock | undefined): WatchedLock {
  const isSame = earlier?.text === found.text && earlier.touched === found.touched;
  return isSame ? earlier : { ...found, unchangedSince: performance.now() };
}

function isLeftBehind({ text, unchangedSince }: WatchedLock): boolean {
  if (performance.now() - unchangedSince > SILENCE_MS) return true;
  const owner = readOwner(text);
  if (owner === undefined || owner.place !== PLACE || owner.life === LIFE) return false;
  return owner.pid === process.pid || !isRunning(owner.pid);
}

/** Undefined if its process has not written it yet. */
function readOwner(text: string): Owner | undefined {
  try {
    return OWNER.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Opens the file anew, so that a network's file system asks its server. */
async function readLock(path: string): Promise<FoundLock | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { mtimeMs } = await file.stat();
    return { text: await file.readFile('utf8'), touched: mtimeMs };
  } finally {
    await file.close();
  }
}

/** False if there is a file already. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o644);
    try {
      await file.writeFile(text);
    } catch (error) {
      await removeFile(path);
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Of several processes that find the same lock left behind one removes it, and never the lock of the next one. */
async function breakLock(path: string, found: FoundLock): Promise<void> {
  const breaking = `${path}.${hash('sha256', found.text).slice(0, 12)}`;
  if (!(await create(breaking, ''))) {
    const { mtimeMs } = await stat(breaking).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > SILENCE_MS) await removeFile(breaking);
    await delay(ATTEMPT_MS);
    return;
  }
  try {
    if ((await readLock(path))?.text === found.text) await removeFile(path);
  } finally {
    await removeFile(breaking);
  }
}

async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}
