import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ListedChange, RecordedChange, ServiceChange, StatePart } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { messagesToConfirm } from '../../contract/service-changes.ts';
import { isObject } from '../../core/json-object.ts';
import { overlayFile } from '../../openapi/overlay/overlay-document.ts';
import { readText } from '../../openapi/parse/file-text.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { type ApiEntry, type ApiFolder, readApis, registrationOf } from '../folder/api-folder.ts';

/** Maximum number of stored states per API; the oldest are deleted. */
const MOST_STATES = 10;

/** The folder of earlier states, beside the documents. */
export function historyFolder({ documents }: Pick<ApiFolder, 'documents'>): string {
  return join(documents, '.history');
}

/** The current state of an API's files; undefined if its document cannot be read. */
export function presentState(entry: ApiEntry): ApiState | undefined {
  const document = textOf(entry.file);
  if (document === undefined) return undefined;
  const { description, serviceUrl, fetchUrl } = registrationOf(entry);
  return { document, overlay: textOf(overlayFile(entry.file)), description, serviceUrl, fetchUrl };
}

function textOf(file: string): string | undefined {
  const text = existsSync(file) ? readText(file, 'files') : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** The file changes that record the state before a change; empty if nothing changes. */
export function recordChange(
  folder: ApiFolder,
  entry: ApiEntry,
  later: Partial<ApiState>,
  { by, changes }: Pick<RecordedChange, 'by' | 'changes'>,
): readonly (readonly [string, string | undefined])[] {
  const before = presentState(entry);
  if (before === undefined) return [];
  const replaced = PARTS.filter((part) => part in later && later[part] !== before[part]);
  if (replaced.length === 0) return [];
  const numbers = stateNumbers(folder, entry.name);
  const file = stateFile(folder, entry.name, (numbers.at(-1) ?? 0) + 1);
  const text = `${JSON.stringify({ at: new Date().toISOString(), by, replaced, changes, before })}\n`;
  const gone = numbers.slice(0, Math.max(0, numbers.length + 1 - MOST_STATES));
  return [[file, text], ...forgotten(folder, entry.name, gone)];
}

/** The file changes that delete an API's history. */
export function forgetHistory(folder: ApiFolder, name: string): readonly (readonly [string, undefined])[] {
  return forgotten(folder, name, stateNumbers(folder, name));
}

function forgotten(
  folder: ApiFolder,
  name: string,
  numbers: readonly number[],
): readonly (readonly [string, undefined])[] {
  return numbers.map((number) => [stateFile(folder, name, number), undefined]);
}

/** The latest changes of an API, newest first, without unreadable ones. */
export function listChanges(folder: ApiFolder, name: string): readonly ListedChange[] {
  return stateNumbers(folder, name)
    .toReversed()
    .flatMap((state) => {
      try {
        const { before: _, ...change } = findState(folder, name, state);
        return { state, ...change };
      } catch (error) {
        if (error instanceof GatewayError) return [];
        throw error;
      }
    });
}

/** The messages of breaking changes and grants since a moment, which count as confirmed. */
export function confirmedSince(folder: ApiFolder, moment: Date): ReadonlySet<string> {
  const since = moment.toISOString();
  const made = readApis(folder).flatMap(({ name }) =>
    listChanges(folder, name).filter(({ at }) => at >= since),
  );
  return new Set(made.flatMap(({ changes }) => messagesToConfirm(changes, true)));
}

/** Throws NotFound for an unknown state, and Conflict for an unreadable one. */
export function findState(folder: ApiFolder, name: string, state: number): EarlierState {
  const text = textOf(stateFile(folder, name, state));
  if (text !== undefined) return readEarlierState(text);
  const kept = stateNumbers(folder, name).join(', ') || 'none';
  const message = `The history of ${name} has no state ${state}: there is ${kept}.`;
  throw new GatewayError('NotFound', message, { target: 'state' });
}

function stateFile(folder: ApiFolder, name: string, state: number): string {
  return join(historyFolder(folder), `${fileName(name)}.${state}.json`);
}

/** The numbers of the states, oldest first. */
function stateNumbers(folder: ApiFolder, name: string): readonly number[] {
  const wanted = fileName(name);
  return filesIn(historyFolder(folder))
    .flatMap((file) => {
      const [, found, number] = /^(.+)\.(\d{1,15})\.json$/.exec(file) ?? [];
      return found === wanted ? Number(number) : [];
    })
    .sort((one, other) => one - other);
}

/** The project file may contain names that are invalid for files. */
function fileName(name: string): string {
  return encodeURIComponent(name.toLowerCase());
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The parts of an API that can be restored. */
export interface ApiState {
  readonly document: string;
  /** Undefined without an overlay. */
  readonly overlay: string | undefined;
  readonly description: string;
  readonly serviceUrl: string | undefined;
  readonly fetchUrl: string | undefined;
}

/** A change and the state before it. */
interface EarlierState extends RecordedChange {
  readonly before: ApiState;
}

/** Throws Conflict for an invalid text, because the file may have been edited. */
function readEarlierState(text: string): EarlierState {
  const value = parse(text);
  const before = own(value, 'before');
  const [at, document] = [textIn(value, 'at'), textIn(before, 'document')];
  if (at === undefined || document === undefined) throw unreadable();
  return {
    at,
    by: textIn(value, 'by') ?? null,
    replaced: PARTS.filter((part) => listIn(value, 'replaced').includes(part)),
    changes: listIn(value, 'changes').filter(isChange),
    before: {
      document,
      overlay: textIn(before, 'overlay'),
      description: textIn(before, 'description') ?? '',
      serviceUrl: textIn(before, 'serviceUrl'),
      fetchUrl: textIn(before, 'fetchUrl'),
    },
  };
}

export const PARTS: readonly StatePart[] = ['document', 'overlay', 'description', 'serviceUrl', 'fetchUrl'];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause?: unknown): GatewayError {
  return new GatewayError('Conflict', 'The file of that state cannot be read.', { target: 'state', cause });
}

function textIn(value: unknown, name: string): string | undefined {
  const text = own(value, name);
  return typeof text === 'string' ? text : undefined;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = own(value, name);
  return Array.isArray(list) ? list : [];
}

function isChange(value: unknown): value is ServiceChange {
  const kind = own(value, 'kind');
  return (
    isObject(value) &&
    (kind === 'breaking' || kind === 'granting' || kind === 'compatible') &&
    'message' in value
  );
}
