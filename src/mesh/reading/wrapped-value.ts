import { Trail } from '../trail.ts';
import { memberInAnyCase } from './structural-reader.ts';

/** Reads an answer, or the value in one of its properties. */
export function directly<Data>(
  read: (source: unknown, trail: Trail) => Data,
  wrappedIn?: string | undefined,
): (source: unknown) => Data {
  const trail = new Trail();
  return (source) => {
    trail.restart();
    if (wrappedIn === undefined) return read(source, trail);
    step(trail, wrappedIn);
    return read(memberOf(source, wrappedIn), trail);
  };
}

/** A new trail to the items of a list. */
export function trailToItems(wrappedIn: string | undefined): Trail {
  const trail = new Trail();
  if (wrappedIn !== undefined) step(trail, wrappedIn);
  trail.enter();
  return trail;
}

function step(trail: Trail, name: string): void {
  trail.enter();
  trail.at(name);
}

export function memberOf(source: unknown, name: string): unknown {
  const isObject = typeof source === 'object' && source !== null;
  return isObject ? memberInAnyCase(source as Readonly<Record<string, unknown>>, name) : undefined;
}

export function demandList(list: unknown, trail: Trail): readonly unknown[] {
  if (!Array.isArray(list)) throw trail.misfit('a list', list);
  return list;
}
