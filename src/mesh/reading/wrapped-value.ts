import type { AnswerPath } from '../../model/paging.ts';
import { JsonPathTracker } from './json-path-tracker.ts';
import type { Lenience } from './lenience.ts';
import { memberInAnyCase } from './structural-reader.ts';

/** Reads an answer, or the value at a place in it. */
export function directly<Data>(
  read: (source: unknown, trail: JsonPathTracker) => Data,
  wrappedIn: AnswerPath = [],
): (source: unknown) => Data {
  const trail = new JsonPathTracker();
  return (source) => {
    trail.restart();
    for (const name of wrappedIn) step(trail, name);
    return read(valueAt(source, wrappedIn), trail);
  };
}

/** Reads the list that an answer is, or that stands in the object that it is. */
export function listDirectly<Data>(
  read: (list: unknown, trail: JsonPathTracker) => Data,
  wrappedIn: AnswerPath = [],
): (source: unknown) => Data {
  const readList = directly(read, wrappedIn);
  if (wrappedIn.length === 0) return readList;
  return (source) => {
    const isObject = typeof source === 'object' && source !== null && !Array.isArray(source);
    if (!isObject) throw new JsonPathTracker().misfit('an object', source);
    return readList(source);
  };
}

/** A new trail to the items of a list. */
export function trailToItems(wrappedIn: AnswerPath = []): JsonPathTracker {
  const trail = new JsonPathTracker();
  for (const name of wrappedIn) step(trail, name);
  trail.enter();
  return trail;
}

function step(trail: JsonPathTracker, name: string): void {
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

/** Finds the items of the list that an answer holds. */
export type ListReader = (list: unknown, trail: JsonPathTracker) => readonly unknown[];

/**
 * What is no list is an error, but for nothing in the place of a list that stands in an object: of a document that is
 * read leniently, that is an empty one. `place` names it there.
 */
export function listReader(wrappedIn: AnswerPath = [], place: string, lenience?: Lenience): ListReader {
  const mayBeMissing = lenience !== undefined && wrappedIn.length > 0;
  return (list, trail) => {
    if (Array.isArray(list)) return list;
    if (!mayBeMissing || (list !== null && list !== undefined)) throw trail.misfit('a list', list);
    lenience(`${place}/${wrappedIn.join('/')}`, 'a list', list);
    return [];
  };
}
