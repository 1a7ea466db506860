import type { EntityType } from '../model/edm.ts';
import type { ListOperation, NarrowingParameter, SortingArguments } from '../model/operation.ts';
import type { Arguments, EntitySource } from './entity-source.ts';
import type { CallContext } from './exchange.ts';
import type { Value } from './row.ts';

/** A use of a list's parameters that needs a proof of its own. */
export type ParameterUse =
  /** The answer is a superset of the rows that meet the condition; the engine filters it again. */
  | { readonly kind: 'narrow'; readonly parameter: NarrowingParameter; readonly values: readonly Value[] }
  /** The answer has exactly these rows, so that its total and positions may be used. */
  | { readonly kind: 'exact'; readonly parameter: NarrowingParameter; readonly values: readonly Value[] }
  /** The answer is in this order. */
  | { readonly kind: 'order'; readonly sorting: SortingArguments };

/** `open`: not tried out yet with a value like this one. `unsafe`: the value or the property may never be sent. */
export type Verdict = 'proved' | 'open' | 'unsafe' | 'refuted';

/** A list whose parameters are tried out, as it is called without them. */
export interface TriedList {
  /** The resource whose grants decide. */
  readonly resource: string;
  readonly entityType: EntityType;
  readonly operation: ListOperation;
  readonly arguments: Arguments;
}

/** Knows which parameters of lists do what their names say, by base URL, document and credential. */
export interface ParameterTrust {
  /** The verdict so far; makes no call. */
  verdict(list: ListOperation, use: ParameterUse, call: CallContext): Verdict;
  /**
   * Tries out an open use by a few calls, at most once per request, and returns the verdict afterwards. Failures of
   * the probe leave it open.
   */
  prove(source: EntitySource, list: TriedList, use: ParameterUse, call: CallContext): Promise<Verdict>;
  /** Records that an answer contradicted a proof: the parameter is switched off, logged once, and counted. */
  contradict(list: ListOperation, use: ParameterUse, call: CallContext): void;
  /** Records a change of the resource through the gateway: it is read unnarrowed for a while. */
  changed(resource: string): void;
}
