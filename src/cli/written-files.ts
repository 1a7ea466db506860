import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { GatewayError } from '../contract/gateway-error.ts';

/** Writes a file atomically. Throws a GatewayError with its name and the reason. */
export function writeWhole(file: string, text: string, mode = 0o644): void {
  const made = `${file}.${randomUUID()}`;
  try {
    writeFileSync(made, text, { mode, flag: 'wx' });
    renameSync(made, file);
  } catch (cause) {
    rmSync(made, { force: true });
    throw unwritable(file, cause);
  }
}

/** Writes a new file like {@link writeWhole}; returns false if the file exists. */
export function writeNew(file: string, text: string, mode?: number): boolean {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  writeWhole(file, text, mode);
  return true;
}

/** Creates a folder and its parents. Throws a GatewayError. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

function unwritable(path: string, cause: unknown): GatewayError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // Node's messages start with a code and end with the system call and paths.
  const reason = message.replace(/^[A-Z]+: /, '').replace(/, \w+.*/, '');
  return new GatewayError('Forbidden', `${path} cannot be written: ${reason}.`, { cause });
}
