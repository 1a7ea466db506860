import type { AnswerPath } from '../../model/operation.ts';
import { Trail } from '../trail.ts';
import { memberInAnyCase } from './structural-reader.ts';

/** Reads an answer, or the value at a place in it. */
export function directly<Data>(
  read: (source: unknown, trail: Trail) => Data,
  wrappedIn: AnswerPath = [],
): (source: unknown) => Data {
  const trail = new Trail();
  return (source) => {
    trail.restart();
    for (const name of wrappedIn) step(trail, name);
    return read(valueAt(source, wrappedIn), trail);
  };
}

/** A new trail to the items of a list. */
export function trailToItems(wrappedIn: AnswerPath = []): Trail {
  const trail = new Trail();
  for (const name of wrappedIn) step(trail, name);
  trail.enter();
  return trail;
}

function step(trail: Trail, name: string): void {
  trail.enter();
  trail.at(name);
}

/** What an answer holds at a place; undefined where there is none. */
export function valueAt(source: unknown, path: AnswerPath): unknown {
  return path.reduce(memberOf, source);
}

export function memberOf(source: unknown, name: string): unknown {
  const isObject = typeof source === 'object' && source !== null;
  return isObject ? memberInAnyCase(source as Readonly<Record<string, unknown>>, name) : undefined;
}

export function demandList(list: unknown, trail: Trail): readonly unknown[] {
  if (!Array.isArray(list)) throw trail.misfit('a list', list);
  return list;
}
