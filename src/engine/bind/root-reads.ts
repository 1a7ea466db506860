import type { Value } from '../../contract/entity-source.ts';
import { type Work, within } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { CallableImport } from '../../model/operation.ts';
import type { Expression, NameSegment } from '../tree/expression-tree.ts';
import type { BoundVariable } from './bound-tree.ts';
import type { EntityReads } from './related-reads.ts';

/**
 * What expressions read of an entity set, of one of its entities or of a singleton that `$root` leads to
 * (Part 2, 5.1.1.14.5): it is loaded before the query runs.
 */
export interface RootRead extends EntityReads {
  /** The name of the set or singleton, with a key where one entity of the set is meant. */
  readonly segment: NameSegment;
  /** What aliases in the key stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
  readonly entityType: EntityType;
}

/** A function that is bound to nothing: it is called once, before the query runs (Part 2, 5.1.1.15). */
export interface RootCall {
  readonly imported: CallableImport;
  readonly segment: NameSegment;
  /** What aliases in the parameters stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

/** What a query needs beside its rows. */
export type RootSource = RootRead | RootCall;

export function isRootCall(source: RootSource): source is RootCall {
  return 'imported' in source;
}

/** What was loaded, in the order of the sources: rows of a set, one row, which is null where there is none, or a result. */
export type RootValues = readonly Value[];

/** A read, and the variable that stands for what it finds. */
export interface BoundRoot {
  readonly read: RootSource;
  readonly variable: BoundVariable;
}

/** Runs what needs the values, which compiled queries do not keep. */
export function withRoots<Result>(
  roots: readonly BoundRoot[],
  values: RootValues,
  begin: () => Work<Result>,
): Work<Result> {
  if (roots.length === 0) return begin();
  return within(
    () => setRoots(roots, values),
    () => setRoots(roots, []),
    begin,
  );
}

function setRoots(roots: readonly BoundRoot[], values: RootValues): void {
  for (const [index, { variable }] of roots.entries()) {
    variable.cell.value = values[index] ?? null;
  }
}
