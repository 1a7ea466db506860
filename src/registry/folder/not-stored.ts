import { GatewayError } from '../../contract/gateway-error.ts';
import { type ApiFolder, validateWritable } from './api-folder.ts';

/** The error for files that the system refuses to change. */
export function notStored({ projectFile, documents }: ApiFolder, cause: unknown): GatewayError {
  if (cause instanceof Error && 'code' in cause && FULL.has(String(cause.code))) {
    const message = 'There is no room on the disk for the files of the project: nothing is changed.';
    return new GatewayError('InsufficientStorage', message, { cause });
  }
  const reason = validateWritable(projectFile, documents) ?? 'The files of the project cannot be changed.';
  return new GatewayError('Forbidden', reason, { cause });
}

/** Error codes for a full disk and an exceeded quota. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
