import type { EntityType } from '../model/edm.ts';
import type { ListOperation, NarrowingParameter, SortingArguments } from '../model/operation.ts';
import type { Arguments, EntitySource } from './entity-source.ts';
import type { CallContext } from './exchange.ts';
import type { Rows, Value } from './row.ts';

/** A use of a list's parameters that has to be proved. */
export type ParameterUse =
  /** The response is a superset of the matching rows; the engine filters it again. */
  | { readonly kind: 'narrow'; readonly parameter: NarrowingParameter; readonly values: readonly Value[] }
  /** The response has exactly the matching rows, so that its total and positions can be used. */
  | { readonly kind: 'exact'; readonly parameter: NarrowingParameter; readonly values: readonly Value[] }
  /** The response is sorted. */
  | { readonly kind: 'order'; readonly sorting: SortingArguments };

/** `open`: not tried yet with such a value. `unsafe`: the value or the property must never be sent. */
export type Verdict = 'proved' | 'open' | 'unsafe' | 'refuted';

/** A list whose parameters are tried, as it is called without them. */
export interface TriedList {
  readonly resource: string;
  readonly entityType: EntityType;
  readonly operation: ListOperation;
  readonly arguments: Arguments;
}

/** Remembers which list parameters do what their names say, by base URL, document and credential. */
export interface ParameterTrust {
  /** The verdict so far; makes no call. */
  verdict(list: ListOperation, use: ParameterUse, call: CallContext): Verdict;
  /**
   * Tries an open use with a few calls, for at most a few uses per request, and returns the verdict. A failed probe
   * leaves it open.
   */
  prove(source: EntitySource, list: TriedList, use: ParameterUse, call: CallContext): Promise<Verdict>;
  /**
   * Tries a use that was proved by the first pages of a list only once more, now that all rows of the list have been
   * read: rows late in the list have to come back, too. It takes two calls at most.
   */
  confirm(source: EntitySource, list: TriedList, rows: Rows, call: CallContext): Promise<void>;
  /** Compares rows of a narrowed list with what its parameters were seen to do, and records contradictions. */
  check(list: ListOperation, uses: readonly ParameterUse[], rows: Rows, call: CallContext): void;
  /** Records that a response contradicted a proof: the parameter is disabled, logged once and counted. */
  contradict(list: ListOperation, use: ParameterUse, call: CallContext): void;
  /** Records a change of the resource through the gateway: it is read without the parameters for a while. */
  changed(resource: string): void;
}
