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

/** The exclusive right of one process to change the files of a project. */
export interface ProjectLock {
  /** Records the content of files before decisions depend on it; the first call for a file counts. */
  remember(files: Iterable<string>): void;
  /** Throws Conflict if another process has taken over the lock, or a recorded file has changed. */
  assertUnchanged(files: Iterable<string>): Promise<void>;
  /** False if another process has taken over the lock. */
  isHeld(): Promise<boolean>;
}

interface LockOptions {
  /** Milliseconds to wait for another process. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Long enough to detect that a process on another machine has ended. */
const WAIT_MS = 60_000;
const ATTEMPT_MS = 50;
const BEAT_MS = 2_000;
/** Time without a sign of life after which a lock of any machine is considered abandoned. */
const SILENCE_MS = 30_000;

/**
 * Runs the work while no other process changes the project. Throws Overloaded if another process keeps the
 * lock.
 *
 * The lock is an exclusively created file beside the project file, which network file systems support. Its
 * process touches it periodically. It is considered abandoned if its process is known to have ended, or if a
 * waiting process has not seen it touched for long; clocks of machines are never compared.
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

/** Whether the lock exists, held or abandoned. */
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

/** Identifies this process, because process numbers repeat in containers. */
const LIFE = randomUUID();

/** Identifies the scope of process numbers: the machine, its boot, and the container. */
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

/** Another process's lock, and the moment of its last observed touch. */
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

/** Opens the file again, so that a network file system queries its server. */
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

/** False if the file exists. */
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

/** Removes an abandoned lock. Of several processes, one removes it, and never the next lock. */
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
