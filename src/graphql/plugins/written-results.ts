import type { ExecutionResult } from 'graphql';
import { inTurns, type Work } from '../../core/work.ts';
import type { GraphQLPlugin } from '../context/graphql-context.ts';
import { requestError, shownError } from './error.ts';

/** Has the data of long answers written part by part, so that others can go first, and errors with their status. */
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
      // What errors tell Yoga of the response it would leave out.
      const written = { ...result, errors, stringify: write };
      setResult(written);
    },
  };
}

/** Whether it is one result: there are no batches, and nothing is delivered bit by bit. */
function isSingle(result: object): result is WrittenResult {
  return !Array.isArray(result) && !(Symbol.asyncIterator in result);
}

/** Yoga hands on what is to be written, and how. */
export type WrittenResult = ExecutionResult & { readonly stringify?: (result: ExecutionResult) => string };

/** Whether a result has been written, as long ones are. */
export function isWritten(
  result: object,
): result is Required<Pick<WrittenResult, 'stringify'>> & WrittenResult {
  return 'stringify' in result;
}

function withData(rest: ExecutionResult, data: string): string {
  const others = JSON.stringify(rest).slice(1, -1);
  return others === '' ? `{"data":${data}}` : `{${others},"data":${data}}`;
}

/** What is written at a stretch: so many values, and texts by their length. */
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

/** Light items are written together, heavy ones in parts. */
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

/**
 * The place behind the last of the items that are light together, from a place on; that place itself where its item
 * is heavy.
 */
function lightUntil(items: readonly unknown[], start: number): number {
  let rest = AT_ONCE;
  for (let index = start; index < items.length; index += 1) {
    rest -= weightOf(items[index], rest);
    if (rest <= 0) return index;
  }
  return items.length;
}

/** How many values there are in a value; no more are counted than up to the limit. */
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
