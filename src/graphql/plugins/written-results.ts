import type { ExecutionResult } from 'graphql';
import { inTurns, type Work } from '../../core/work.ts';
import type { GraphQLPlugin } from '../context/graphql-context.ts';
import { requestError, shownError } from './error.ts';

/** Serializes long results in parts, so that other requests can run, and adds the status of errors. */
export function useWrittenResults(): GraphQLPlugin {
  return {
    onExecute() {
      return {
        async onExecuteDone({ result, setResult }) {
          if (!('data' in result) || weightOf(result.data, AT_ONCE) < AT_ONCE) return;
          const parts: string[] = [];
          await inTurns(writeParts(result.data, parts));
          const stringify = ({ data: _, ...rest }: ExecutionResult) => withData(rest, parts.join(''));
          const written: ExecutionResult & { readonly stringify: typeof stringify } = {
            ...result,
            stringify,
          };
          setResult(written);
        },
      };
    },
    onResultProcess({ result, setResult }) {
      if (!isSingle(result) || result.errors === undefined) return;
      const { stringify = JSON.stringify } = result;
      const errors = 'data' in result ? result.errors : result.errors.map(requestError);
      const write = (rest: object) => stringify({ ...rest, errors: errors.map(shownError) });
      // Keeps the status that errors set for Yoga's response.
      const written = { ...result, errors, stringify: write };
      setResult(written);
    },
  };
}

/** Whether the result is a single one; batches and incremental delivery are not supported. */
function isSingle(result: object): result is WrittenResult {
  return !Array.isArray(result) && !(Symbol.asyncIterator in result);
}

/** A result with its serializer. */
export type WrittenResult = ExecutionResult & { readonly stringify?: (result: ExecutionResult) => string };

/** Whether a result was serialized already. */
export function isWritten(
  result: object,
): result is Required<Pick<WrittenResult, 'stringify'>> & WrittenResult {
  return 'stringify' in result;
}

function withData(rest: ExecutionResult, data: string): string {
  const others = JSON.stringify(rest).slice(1, -1);
  return others === '' ? `{"data":${data}}` : `{${others},"data":${data}}`;
}

/** Values, and characters of texts, that are written in one stretch. */
const AT_ONCE = 4000;
const CHARACTERS_PER_VALUE = 64;

function* writeParts(value: unknown, parts: string[]): Work<void> {
  if (weightOf(value, AT_ONCE) < AT_ONCE || typeof value !== 'object' || value === null) {
    parts.push(JSON.stringify(value));
    yield;
  } else if (Array.isArray(value)) yield* writeItems(value, parts);
  else yield* writeMembers(value, parts);
}

function* writeMembers(object: object, parts: string[]): Work<void> {
  let separator = '{';
  for (const [name, value] of Object.entries(object)) {
    parts.push(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    yield* writeParts(value, parts);
  }
  parts.push('}');
}

/** Writes light items together, heavy ones in parts. */
function* writeItems(items: readonly unknown[], parts: string[]): Work<void> {
  let separator = '[';
  for (let start = 0; start < items.length; ) {
    const end = lightUntil(items, start);
    parts.push(separator);
    separator = ',';
    if (end === start) yield* writeParts(items[start], parts);
    else parts.push(JSON.stringify(items.slice(start, end)).slice(1, -1));
    start = Math.max(end, start + 1);
    yield;
  }
  parts.push(']');
}

/** The end of a run of items that are light together; the start itself if its item is heavy. */
function lightUntil(items: readonly unknown[], start: number): number {
  let rest = AT_ONCE;
  for (let index = start; index < items.length; index += 1) {
    rest -= weightOf(items[index], rest);
    if (rest <= 0) return index;
  }
  return items.length;
}

/** The number of values in a value, counted up to the limit. */
function weightOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_VALUE;
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (weight >= limit) return weight;
    weight += weightOf(each, limit - weight);
  }
  return weight;
}
