import { GatewayError } from '../../contract/gateway-error.ts';
import { isMapping, own } from '../../openapi/parse/openapi-version.ts';
import type { ServiceChange } from '../apis/service-changes.ts';

/** What of an API can be brought back. */
export interface ApiState {
  readonly document: string;
  /** Undefined where there is none. */
  readonly overlay: string | undefined;
  readonly description: string;
  readonly serviceUrl: string | undefined;
  readonly fetchUrl: string | undefined;
}

export type StatePart = keyof ApiState;

/** A change of an API, as the history lists it by the number of the state that it put an end to. */
export interface RecordedChange {
  /** When it was made (ISO 8601). */
  readonly at: string;
  /** The e-mail address of the user who made it; null where everybody may do everything, and on the command line. */
  readonly by: string | null;
  /** What of the API was replaced. */
  readonly replaced: readonly StatePart[];
  /** What it was for clients. */
  readonly changes: readonly ServiceChange[];
}

/** A change, and what there was before it. */
export interface EarlierState extends RecordedChange {
  readonly before: ApiState;
}

export function writeEarlierState(state: EarlierState): string {
  return `${JSON.stringify(state)}\n`;
}

/** Throws Conflict where the text is none: somebody may have changed it by hand. */
export function readEarlierState(text: string): EarlierState {
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
  return isMapping(value) && (kind === 'breaking' || kind === 'compatible') && 'message' in value;
}
