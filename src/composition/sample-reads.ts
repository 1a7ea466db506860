import { GatewayError } from '../contract/gateway-error.ts';
import type { AnswerSample, LearnableRead, ReadOutcome } from '../contract/improvements.ts';
import { isObject } from '../core/json-object.ts';
import { sampleAnswer } from '../project/learning/learn-overlay.ts';
import { entityPathIn, listPathIn } from '../upstream/reading/unknown-shape.ts';

interface SampleRequest {
  readonly method: 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: undefined;
}

/** Sends a request to the API of the reads. Throws a GatewayError if the upstream fails. */
type Send = (request: SampleRequest) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

/** The forms of the answers, and the outcome for each read. */
interface Samples {
  readonly samples: readonly AnswerSample[];
  readonly outcomes: readonly ReadOutcome[];
}

/** Calls reads one after the other. Lists come first, because they give the keys that single entities are read by. */
export async function sampleReads(reads: readonly LearnableRead[], send: Send): Promise<Samples> {
  const samples: AnswerSample[] = [];
  const outcomes: ReadOutcome[] = [];
  const rows = new Map<string, unknown>();
  const ordered = reads.toSorted((a, b) => Number(a.parameter !== null) - Number(b.parameter !== null));
  for (const { path, parameter, target } of ordered) {
    const key = parameter === null ? '' : itemValue(rows.get(listPathOf(path)), parameter);
    if (key === undefined) {
      outcomes.push({ path, outcome: 'not called: no list has a key for it' });
      continue;
    }
    const { answer, reason } = await attempt(send, path.replace(/\{[^{}]*\}/, encodeURIComponent(key)));
    outcomes.push({ path, outcome: reason === undefined ? 'learnt' : `not learnt: ${reason}` });
    if (reason !== undefined) continue;
    const listPath = parameter === null ? listPathIn(answer) : [];
    const isList = parameter === null && (Array.isArray(answer) || listPath.length > 0);
    const place = isList ? listPath : entityPathIn(answer);
    samples.push(sampleAnswer(target, answer, place, isList));
    if (isList) rows.set(listPathOf(path), firstRow(answer, place));
  }
  return { samples, outcomes };
}

/** The path of the list that an item's path is below, or the path itself. */
function listPathOf(path: string): string {
  return path.replace(/\/\{[^{}]*\}\/?$/, '').replace(/\/$/, '');
}

function firstRow(answer: unknown, path: readonly string[]): unknown {
  const found = path.reduce<unknown>((inner, name) => Reflect.get(inner as object, name), answer);
  return Array.isArray(found) ? found[0] : undefined;
}

/** The value of a row for the parameter of its item's path: that of its name, or the identifier. */
function itemValue(row: unknown, parameter: string): string | undefined {
  if (!isObject(row)) return undefined;
  const names = [parameter, 'id', '_id', 'uuid', 'slug', 'code', 'documentId'];
  const value = names
    .map((name) => (Object.hasOwn(row, name) ? row[name] : undefined))
    .find((each) => each !== undefined && each !== null);
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

interface Attempt {
  readonly answer?: unknown;
  /** Set if there is no answer to learn from. */
  readonly reason?: string;
}

/** Larger answers are not parsed, in bytes. */
const LARGEST_ANSWER = 16 * 1024 * 1024;

async function attempt(send: Send, path: string): Promise<Attempt> {
  try {
    const headers = { accept: 'application/json, */*;q=0.5' };
    const { status, body } = await send({ method: 'GET', path, headers, body: undefined });
    if (status < 200 || status > 299) return { reason: `the API answered with the status ${status}` };
    if (body.length > LARGEST_ANSWER) return { reason: 'the answer is larger than 16 MB' };
    const answer: unknown = JSON.parse(Buffer.from(body).toString());
    const isData = typeof answer === 'object' && answer !== null;
    return isData ? { answer } : { reason: 'the answer is neither a list nor an object' };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: 'the answer is no JSON' };
    if (error instanceof GatewayError) return { reason: error.message };
    throw error;
  }
}
