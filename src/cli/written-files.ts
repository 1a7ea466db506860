import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { GatewayError } from '../contract/gateway-error.ts';

/** Writes a file whole or not at all. Throws a GatewayError that says which one cannot be written, and why. */
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

/** Writes a file that is not there yet, as {@link writeWhole} does; comes back with whether it was not. */
export function writeNew(file: string, text: string, mode?: number): boolean {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  writeWhole(file, text, mode);
  return true;
}

/** Makes a folder, and those above it. Throws a GatewayError where that cannot be done. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

function unwritable(path: string, cause: unknown): GatewayError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // Node puts an error's code before its words, and the system call and its paths behind them.
  const reason = message.replace(/^[A-Z]+: /, '').replace(/, \w+.*/, '');
  return new GatewayError('Forbidden', `${path} cannot be written: ${reason}.`, { cause });
}
