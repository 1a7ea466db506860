import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { parseText } from '../../openapi/parse/parse-text.ts';
import type { ApiFolder } from './api-folder.ts';

/** The moment, author and reason of disabling an API, as far as known. */
export interface DisabledApi {
  readonly at?: string | undefined;
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

export type DisabledApis = ReadonlyMap<string, DisabledApi>;

const TEXT = z.string().optional();
const FILE = z.record(z.string(), z.object({ at: TEXT, by: TEXT, reason: TEXT }).nullable()).nullable();

const HEAD =
  '# APIs that are turned off: nothing is sent to them. Written by the registry; `duogate api enable NAME` turns one on.\n';

/** The file beside the project file with the disabled APIs. */
export function disabledFile({ root }: ApiFolder): string {
  return join(root, 'disabled-apis.yaml');
}

/** Throws Conflict for an invalid file. */
export function readDisabled(folder: ApiFolder): DisabledApis {
  const file = disabledFile(folder);
  try {
    const listed = FILE.parse(parseText(readFileSync(file, 'utf8'))) ?? {};
    return new Map(Object.entries(listed).map(([name, api]) => [name, api ?? {}]));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Map();
    const message =
      'disabled-apis.yaml must list APIs by their names, each with at, by and reason, or with nothing.';
    throw new GatewayError('Conflict', message, { cause });
  }
}

/** The text of the file; undefined without disabled APIs. */
export function writeDisabled(apis: DisabledApis): string | undefined {
  return apis.size === 0 ? undefined : `${HEAD}${stringify(Object.fromEntries(apis), { lineWidth: 0 })}`;
}

/** The error for calls of a disabled API. */
function apiDisabled(name: string, { reason = '' }: DisabledApi): GatewayError {
  const message = `The API ${name} is turned off at the moment.${reason === '' ? '' : ` ${reason}`}`;
  return new GatewayError('ApiDisabled', message, { headers: { 'retry-after': '60' } });
}

/** The disabled APIs of a project, as changed by any process. */
export interface FollowedDisabledApis {
  find(name: string): DisabledApi | undefined;
  /** The error for calls of the API; undefined if it is enabled. */
  refusalOf(name: string): GatewayError | undefined;
  look(): void;
  close(): void;
}

/** Network file systems do not report changes of other machines, so the file is checked every second. */
const LOOK_MS = 1_000;

/**
 * Follows the file. While it cannot be read, the last state remains. Throws if it cannot be read at the
 * start.
 */
export function followDisabledApis(folder: ApiFolder, log: Log): FollowedDisabledApis {
  const file = disabledFile(folder);
  let apis = readDisabled(folder);
  const look = (): void => {
    try {
      const earlier = apis;
      apis = readDisabled(folder);
      for (const name of apis.keys()) if (!earlier.has(name)) log.warn({ api: name }, 'an API is turned off');
      for (const name of earlier.keys()) if (!apis.has(name)) log.info({ api: name }, 'an API is turned on');
    } catch (err) {
      log.error({ err }, 'the file of APIs that are turned off cannot be read: they stay as they were');
    }
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, look);
  return {
    find: (name) => apis.get(name),
    refusalOf(name) {
      const found = apis.get(name);
      return found && apiDisabled(name, found);
    },
    look,
    close: () => unwatchFile(file, look),
  };
}
