import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EntitySource } from '../../contract/entity-source.ts';
import { type CallContext, ownerName } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { narrowedProperty } from '../../contract/narrowing-arguments.ts';
import type { ParameterTrust, ParameterUse, TriedList, Verdict } from '../../contract/parameter-trust.ts';
import type { ReadCounts } from '../../contract/read-counts.ts';
import { type Rows, rowsBetween, type Value } from '../../contract/row.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation, NarrowingParameter } from '../../model/operation.ts';
import { type Outcome, undecided } from './probe.ts';
import { isAtBound, isMetBy, probeNarrowing, probeWithAll } from './probe-narrowing.ts';
import { probeOrder } from './probe-order.ts';
import { probeTotal } from './probe-total.ts';
import { characterKinds, isSendable, valueClass, valuesIn } from './sendable-value.ts';

/** The outcomes of the probes of one use of a parameter. It holds no value of a row, only hashes of values that were sent. */
interface ProofRecord {
  /**
   * By what one probe decides of: the hash of a value of an enumeration or a Boolean, the kinds of characters of a text,
   * or all values of any other type.
   */
  readonly subjects: Map<string, { readonly outcome: Outcome['kind']; readonly until: number }>;
  /** The time of the last outcome. */
  readonly at: number;
  /** The narrowed reads since the last probe. */
  uses: number;
  /** The time from which all rows of the list may confirm what its beginning has proved; undefined if that is not open. */
  confirmFrom: number | undefined;
}

/** The outcomes of one use as another process may use them: of the same API, document and credential. */
export interface KeptProof {
  /** Identifies the API, its document and the credential by a hash. */
  readonly identity: string;
  readonly source: string;
  /** The list and the use of its parameter. */
  readonly name: string;
  readonly at: number;
  readonly isOfBeginning?: boolean | undefined;
  readonly subjects: readonly (readonly [subject: string, outcome: Outcome['kind'], until: number])[];
}

const PROVED_MS = 24 * 60 * 60_000;
/** A probe that could not decide is tried again after this time. */
const UNDECIDED_MS = 10 * 60_000;
/** The API may show a change later in its lists than in its entities. */
const CHANGED_MS = 60_000;
/** One narrowed read in so many tries the parameter out again. */
const CHECKED_USES = 200;
/** The most probes of one request; of a user's own credential, whose proofs are good for no one else, one. */
const MOST_PROBES = 3;
/** The rows of an answer that are compared with what its parameters do. */
const CHECKED_ROWS = 100;
/** The most rows of a whole list that are compared with those of a parameter. */
const MOST_COMPARED = 100_000;
const MOST_RECORDS = 10_000;
const MOST_SUBJECTS = 200;

export interface ParameterProofsOptions {
  readonly model: Model;
  /** Whether each user has a credential of their own for the source, which proves for itself. */
  readonly isPersonal: (source: string) => boolean;
  /** Identifies the API of a source, its document and its credential. */
  readonly identityOf: (source: string) => string;
  readonly log: Log;
  readonly counts?: Pick<ReadCounts, 'noteContradiction'> | undefined;
}

/**
 * Remembers which parameters of lists were seen to do what they are called, for one base URL and document. Proofs end
 * after a day; what contradicts one switches the parameter off.
 */
export class ParameterProofs implements ParameterTrust {
  readonly #options: ParameterProofsOptions;
  readonly #records = new LRUCache<string, ProofRecord>(entryLimit(MOST_RECORDS));
  readonly #changedUntil = new Map<string, number>();
  /** The number of probes that requests have made, by their signal. */
  readonly #probed = new WeakMap<AbortSignal, number>();
  readonly #types: ReadonlyMap<string, EntityType>;

  constructor(options: ParameterProofsOptions) {
    this.#options = options;
    this.#types = typesOfLists(options.model);
  }

  verdict(list: ListOperation, use: ParameterUse, call: CallContext): Verdict {
    const type = this.#types.get(listName(list));
    if (type === undefined || this.#isChanged(type)) return 'unsafe';
    if (use.kind !== 'order' && !mayBeSent(use.parameter, type, use.values)) return 'unsafe';
    const record = this.#records.get(this.#name(list, use, call));
    const now = Date.now();
    const known = subjectsOf(use, type).map((subject) => outcomeOf(record, subject, now));
    if (known.includes('refuted')) return 'refuted';
    if (known.includes('undecided')) return 'unsafe';
    if (record === undefined || known.includes(undefined)) return 'open';
    // A proof is tried out again after many uses.
    record.uses += 1;
    return record.uses > CHECKED_USES ? 'open' : 'proved';
  }

  async prove(source: EntitySource, list: TriedList, use: ParameterUse, call: CallContext): Promise<Verdict> {
    const verdict = this.verdict(list.operation, use, call);
    const probes = this.#probed.get(call.signal) ?? 0;
    const isPersonal = this.#options.isPersonal(list.operation.source ?? '');
    if (verdict !== 'open' || probes >= (isPersonal ? 1 : MOST_PROBES)) return verdict;
    this.#probed.set(call.signal, probes + 1);
    const outcome = await tryOut(source, list, use, call);
    call.signal.throwIfAborted();
    this.#note(list, use, call, outcome);
    return outcome.kind === 'undecided' ? 'unsafe' : this.verdict(list.operation, use, call);
  }

  async confirm(source: EntitySource, list: TriedList, rows: Rows, call: CallContext): Promise<void> {
    const { operation, entityType } = list;
    const uses = (operation.narrowing ?? []).map((parameter) => {
      return { kind: 'narrow', parameter, values: [] } as const;
    });
    const now = Date.now();
    const recordOf = (each: ParameterUse) => this.#records.get(this.#name(operation, each, call));
    const use = uses.find((each) => (recordOf(each)?.confirmFrom ?? Number.POSITIVE_INFINITY) <= now);
    const probes = this.#probed.get(call.signal) ?? 0;
    const [sample] = rows;
    const isKeyed = sample !== undefined && entityType.key.every((name) => Object.hasOwn(sample, name));
    if (use === undefined || !isKeyed || rows.length > MOST_COMPARED) return;
    if (probes >= MOST_PROBES || this.#isChanged(entityType)) return;
    this.#probed.set(call.signal, probes + 1);
    const outcome = await unlessFailed(() => probeWithAll({ source, list, call }, use.parameter, [...rows]));
    const record = recordOf(use);
    if (outcome.kind === 'refuted') this.contradict(operation, use, call);
    else if (record !== undefined)
      record.confirmFrom = outcome.kind === 'proved' ? undefined : now + UNDECIDED_MS;
  }

  check(list: ListOperation, uses: readonly ParameterUse[], rows: Rows, call: CallContext): void {
    for (const use of uses) {
      if (use.kind === 'order') continue;
      const { parameter, values } = use;
      const seen = [...rowsBetween(rows, 0, CHECKED_ROWS)].filter(
        (row) => valuesIn(row, parameter).length > 0,
      );
      const others = seen.filter(
        (row) => !isMetBy(parameter, row, values) && !isAtBound(parameter, row, values),
      );
      if (others.length > 0 && this.#isProved(list, { ...use, kind: 'exact' }, call))
        this.contradict(list, { ...use, kind: 'exact' }, call);
      // A parameter that takes a value for the beginning of others brings many rows, too.
      const isIgnored = seen.length >= 20 && others.length > seen.length * 0.95;
      if (isIgnored && this.#isProved(list, { ...use, kind: 'narrow' }, call))
        this.contradict(list, { ...use, kind: 'narrow' }, call);
    }
  }

  contradict(list: ListOperation, use: ParameterUse, call: CallContext): void {
    const name = this.#name(list, use, call);
    const refutation = { outcome: 'refuted', until: Date.now() + PROVED_MS } as const;
    if (outcomeOf(this.#records.get(name), EVERYTHING, Date.now()) === 'refuted') return;
    this.#records.set(name, {
      subjects: new Map([[EVERYTHING, refutation]]),
      at: Date.now(),
      uses: 0,
      confirmFrom: undefined,
    });
    this.#options.log.warn(
      { upstream: list.source, operation: list.id, use: written(use) },
      'a response contradicts the proof of a parameter, which is not used any more',
    );
    this.#options.counts?.noteContradiction(list.source ?? '');
  }

  changed(resource: string): void {
    const [set = resource] = resource.split('/');
    const { model } = this.#options;
    const type = model.entitySets.get(resource)?.entityType ?? model.entitySets.get(set)?.entityType;
    const until = Date.now() + CHANGED_MS;
    const isContained = set !== resource;
    for (const each of new Set(this.#types.values())) {
      if (isContained || type === undefined || rootOf(each) === rootOf(type))
        this.#changedUntil.set(rootOf(each).name, until);
    }
  }

  /** The verdict on a use, whatever its values are: proved if it is for some of them. */
  summary(list: ListOperation, use: ParameterUse, call: Pick<CallContext, 'principal'>): Verdict {
    const record = this.#records.get(this.#name(list, use, call));
    const now = Date.now();
    const known = [...(record?.subjects.keys() ?? [])].flatMap((name) => outcomeOf(record, name, now) ?? []);
    if (known.length === 0) return 'open';
    if (outcomeOf(record, EVERYTHING, now) === 'refuted') return 'refuted';
    if (known.includes('proved')) return 'proved';
    return known.includes('refuted') ? 'refuted' : 'unsafe';
  }

  /** The outcomes that other processes may use: not those of users' own credentials. */
  kept(): readonly KeptProof[] {
    return [...this.#records.entries()].flatMap(([full, { subjects, at, confirmFrom }]) => {
      const [owner, source = '', ...name] = full.split('\n');
      if (owner !== '') return [];
      const written = [...subjects].map(
        ([subject, { outcome, until }]) => [subject, outcome, until] as const,
      );
      const identity = this.#options.identityOf(source);
      const isOfBeginning = confirmFrom !== undefined;
      return [{ identity, source, name: name.join('\n'), at, isOfBeginning, subjects: written }];
    });
  }

  /** Takes outcomes of another process, unless there are newer ones, or they are of another API. */
  keep(kept: readonly KeptProof[]): void {
    const now = Date.now();
    for (const { identity, source, name, at, subjects, isOfBeginning = false } of kept) {
      const full = ['', source, name].join('\n');
      const isNewer = at <= now && at > (this.#records.get(full)?.at ?? 0);
      if (!isNewer || this.#options.identityOf(source) !== identity) continue;
      const lasting = subjects.filter(([, , until]) => until > now && until <= now + PROVED_MS);
      const known = lasting.map(([subject, outcome, until]) => [subject, { outcome, until }] as const);
      const confirmFrom = isOfBeginning ? now : undefined;
      this.#records.set(full, { subjects: new Map(known), at, uses: 0, confirmFrom });
    }
  }

  /** Forgets the outcomes of a source, or of all. */
  forget(source?: string): void {
    for (const name of [...this.#records.keys()])
      if (source === undefined || name.split('\n')[1] === source) this.#records.delete(name);
  }

  #isProved(list: ListOperation, use: ParameterUse, call: CallContext): boolean {
    return this.summary(list, use, call) === 'proved';
  }

  #isChanged(type: EntityType): boolean {
    return (this.#changedUntil.get(rootOf(type).name) ?? 0) > Date.now();
  }

  #name({ source = '', id }: ListOperation, use: ParameterUse, call: Pick<CallContext, 'principal'>): string {
    const owner = this.#options.isPersonal(source) ? ownerName(call.principal) : '';
    return [owner, source, id, written(use)].join('\n');
  }

  #note(list: TriedList, use: ParameterUse, call: CallContext, outcome: Outcome): void {
    const { operation, entityType } = list;
    const name = this.#name(operation, use, call);
    const until = Date.now() + (outcome.kind === 'undecided' ? UNDECIDED_MS : PROVED_MS);
    const before = this.#records.get(name)?.subjects;
    const subjects = new Map(before !== undefined && before.size < MOST_SUBJECTS ? before : []);
    const decided =
      outcome.kind === 'proved' && use.kind !== 'order' ? { ...use, values: outcome.values } : use;
    for (const each of [...subjectsOf(decided, entityType), ...subjectsOf(use, entityType)]) {
      subjects.set(each, { outcome: outcome.kind, until });
    }
    // A parameter may not know all values of an enumeration; for others, one failure says enough.
    const isOfOne = use.kind !== 'order' && subjectsOf(use, entityType).every(isOwnValue);
    if (outcome.kind === 'refuted' && !isOfOne) subjects.set(EVERYTHING, { outcome: 'refuted', until });
    const at = Date.now();
    const confirmFrom = outcome.kind === 'proved' && outcome.isOfBeginning === true ? at : undefined;
    this.#records.set(name, { subjects, at, uses: 0, confirmFrom });
    const reason = outcome.kind === 'proved' ? undefined : outcome.reason;
    this.#options.log.info(
      {
        upstream: operation.source,
        operation: operation.id,
        use: written(use),
        outcome: outcome.kind,
        reason,
      },
      'a parameter was tried',
    );
  }
}

/** All values of a use. */
const EVERYTHING = '';

/** The parts of a use that are proved apart. */
function subjectsOf(use: ParameterUse, type: EntityType): readonly string[] {
  if (use.kind === 'order') return [EVERYTHING];
  const property = narrowedProperty(use.parameter, type);
  switch (property && valueClass(property, use.parameter)) {
    case 'each':
      return use.values.map((value) => hash('sha256', String(value), 'base64url').slice(0, 16));
    case 'text':
      return [...new Set(use.values.map((value) => `${TEXT}${characterKinds(String(value))}`))];
    default:
      return [EVERYTHING];
  }
}

function isOwnValue(subject: string): boolean {
  return subject !== EVERYTHING && !subject.startsWith(TEXT);
}

/** Stands before the kinds of characters of texts. */
const TEXT = 'text ';

/** A text is proved by any proof with all of its kinds of characters. */
function outcomeOf(
  record: ProofRecord | undefined,
  subject: string,
  now: number,
): Outcome['kind'] | undefined {
  const found = (name: string): Outcome['kind'] | undefined => {
    const known = record?.subjects.get(name);
    return known === undefined || known.until < now ? undefined : known.outcome;
  };
  if (found(EVERYTHING) === 'refuted') return 'refuted';
  const own = found(subject);
  if (own !== undefined || !subject.startsWith(TEXT)) return own;
  const kinds = Number(subject.slice(TEXT.length));
  const isCovered = [...(record?.subjects.keys() ?? [])].some((name) => {
    const others = Number(name.slice(TEXT.length));
    return name.startsWith(TEXT) && (others & kinds) === kinds && found(name) === 'proved';
  });
  return isCovered ? 'proved' : undefined;
}

async function tryOut(
  source: EntitySource,
  list: TriedList,
  use: ParameterUse,
  call: CallContext,
): Promise<Outcome> {
  const probe = { source, list, call };
  return unlessFailed(() => {
    switch (use.kind) {
      case 'narrow':
        return probeNarrowing(probe, use.parameter, use.values);
      case 'exact':
        return probeTotal(probe, use.parameter, use.values);
      case 'order':
        return probeOrder(probe, use.sorting);
    }
  });
}

async function unlessFailed(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GatewayError) return undecided(error.code);
    throw error;
  }
}

/** A parameter with a default is not used: its unnarrowed list may lack rows. */
function mayBeSent(parameter: NarrowingParameter, type: EntityType, values: readonly Value[]): boolean {
  if (parameter.hasDefault === true || values.length === 0) return false;
  return values.every((value) => isSendable(parameter, type, value));
}

/** Names the use: it has no values. */
function written(use: ParameterUse): string {
  if (use.kind === 'order') return `order ${use.sorting.property} ${use.sorting.descending ? 'desc' : 'asc'}`;
  const { parameter, member, path, condition, form } = use.parameter;
  const name = `${parameter.name}${member === undefined ? '' : `.${member}`}`;
  return [use.kind, name, path.join('/'), condition.kind, ...(form === undefined ? [] : [form])].join(' ');
}

function listName({ source = '', id }: ListOperation): string {
  return `${source} ${id}`;
}

/** The types of the rows of all lists. */
function typesOfLists({ entitySets, entityTypes }: Model): ReadonlyMap<string, EntityType> {
  const types = new Map<string, EntityType>();
  const note = (list: ListOperation | undefined, type: EntityType): void => {
    if (list !== undefined) types.set(listName(list), type);
  };
  for (const { list, page, entityType } of entitySets.values()) {
    note(list, entityType);
    note(page, entityType);
  }
  for (const type of entityTypes.values()) {
    for (const { origin, entityType } of type.navigationProperties.values()) {
      if (origin.kind === 'link') note(origin.operation, entityType);
      if (origin.kind === 'path') for (const { list } of origin.places) note(list, entityType);
    }
  }
  return types;
}

function rootOf(type: EntityType): EntityType {
  return type.base === undefined ? type : rootOf(type.base);
}
