import type { RelationOutcome } from '../../contract/api-report.ts';
import type { Arguments, CollectionSnapshot, EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { narrowingArguments } from '../../contract/narrowing-arguments.ts';
import type { TriedList } from '../../contract/parameter-trust.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntitySet, EntityType } from '../../model/edm.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import type { Model } from '../../model/model.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import type { PrimitiveType } from '../../model/type-use.ts';
import type { RelationProof, RelationProofs } from './relation-proofs.ts';
import { isSendable } from './sendable-value.ts';

/** The relations whose values are looked up. */
export interface ProbedRelations {
  readonly proofs: RelationProofs;
  readonly source: EntitySource;
  readonly model: Model;
  readonly relations: readonly FoundRelation[];
}

/** The most distinct values of one relation that are looked up. */
const MOST_VALUES = 20;
/** The most calls for the values of one relation. */
const MOST_CALLS = 5;
/** The calls for the target if other sets may be meant, too; the others share the rest. */
const CALLS_BESIDE_OTHERS = 3;

/** The relations of an API, or of all, and what is known of them; makes no call. */
export function knownRelations(
  { relations, proofs }: Pick<ProbedRelations, 'relations' | 'proofs'>,
  api: string | undefined,
  call: Pick<CallContext, 'principal'>,
): readonly RelationOutcome[] {
  return ofApi(relations, api).map((relation) => proofs.outcome(relation, call));
}

function ofApi(relations: readonly FoundRelation[], api: string | undefined): readonly FoundRelation[] {
  return relations.filter(({ source }) => api === undefined || source === api);
}

/** Looks up values of the relations in the sets that they refer to, by GET requests alone. */
export async function* probeRelations(
  probed: ProbedRelations,
  api: string | undefined,
  call: CallContext,
): AsyncGenerator<RelationOutcome> {
  const relations = ofApi(probed.relations, api).filter(({ state }) => state !== 'refused');
  const run: Run = { ...probed, relations, call, pages: new Map() };
  for (const relation of relations) {
    const proof = await probeRelation(run, relation);
    probed.proofs.note(relation, proof, call);
    yield probed.proofs.outcome(relation, call);
  }
}

interface Run extends ProbedRelations {
  readonly call: CallContext;
  /** The first pages of lists, by the names of their sets: relations share them. */
  readonly pages: Map<string, Promise<CollectionSnapshot | undefined>>;
}

/** A key as a row refers to it: the values by the target's properties. */
type Key = ReadonlyMap<string, Value>;

async function probeRelation(run: Run, relation: FoundRelation): Promise<RelationProof> {
  const target = run.model.entitySets.get(relation.target);
  const at = Date.now();
  const rows = await rowsOf(run, relation.entityType);
  if (rows === undefined || target === undefined)
    return { verdict: 'unread', tested: 0, resolved: 0, fits: [], at };
  const keys = sampleOf(relation, rows);
  const others = relation.alternatives.flatMap((name) => run.model.entitySets.get(name) ?? []);
  const most = others.length > 0 ? CALLS_BESIDE_OTHERS : MOST_CALLS;
  const { found, missing, calls } = await lookUp(run, target, keys, most);
  const fits: string[] = [];
  let left = MOST_CALLS - calls;
  for (const other of others) {
    if (left === 0 || found.length === 0) break;
    const seen = await lookUp(run, other, withKeyOf(other, found), 1);
    left -= seen.calls;
    if (seen.found.length > 0 && seen.missing.length === 0) fits.push(other.name);
  }
  const [resolved, tested] = [found.length, found.length + missing.length];
  return { verdict: verdictOf(relation, { resolved, tested, fits }), tested, resolved, fits, at };
}

function verdictOf(
  { typedBy, state }: FoundRelation,
  { resolved, tested, fits }: Pick<RelationProof, 'resolved' | 'tested' | 'fits'>,
): RelationProof['verdict'] {
  if (tested === 0) return 'undecided';
  if (resolved === 0) return 'contradicted';
  if (fits.length > 0 || (typedBy !== undefined && state === 'suggested')) return 'ambiguous';
  return resolved < tested ? 'partly' : 'resolved';
}

/** The keys of another set with the same values; none if its key has several parts. */
function withKeyOf({ entityType: { key } }: EntitySet, keys: readonly Key[]): readonly Key[] {
  const [name, ...more] = key;
  if (name === undefined || more.length > 0) return [];
  return keys.flatMap((each) => (each.size === 1 ? [new Map([...each.values()].map((v) => [name, v]))] : []));
}

/** The rows of the first page of the first list that has entities of the type. */
async function rowsOf(run: Run, type: string): Promise<readonly Row[] | undefined> {
  const set = [...run.model.entitySets.values()].find(
    ({ entityType, list }) => entityType.name === type && list !== undefined && list.fixed === undefined,
  );
  const page = set && (await firstPage(run, set));
  return page && [...page.data];
}

/** Up to 20 distinct keys that rows have. */
function sampleOf({ constraints }: FoundRelation, rows: readonly Row[]): readonly Key[] {
  const found = new Map<string, Key>();
  for (const row of rows) {
    for (const key of keysOf(row, constraints)) {
      if (found.size < MOST_VALUES) found.set(keyName(key), key);
    }
  }
  return [...found.values()];
}

function keysOf(row: Row, constraints: FoundRelation['constraints']): readonly Key[] {
  const last = constraints.at(-1);
  if (last === undefined) return [];
  const value = row[last.property] ?? null;
  const context = constraints
    .slice(0, -1)
    .map((each) => [each.referencedProperty, row[each.property]] as const);
  if (context.some(([, part]) => part === null || part === undefined)) return [];
  const values = (Array.isArray(value) ? value : [value]) as readonly Value[];
  return values
    .filter((each) => each !== null && each !== '')
    .map((each) => new Map([...context, [last.referencedProperty, each]] as [string, Value][]));
}

function keyName(key: Key): string {
  return JSON.stringify([...key].map(([name, value]) => [name, String(value)]).sort());
}

interface Resolution {
  readonly found: readonly Key[];
  /** Keys that the set has no entity for. */
  readonly missing: readonly Key[];
  readonly calls: number;
}

/** Looks keys up: by a parameter that takes several, else in the first page, and the rest one by one. */
async function lookUp(run: Run, set: EntitySet, keys: readonly Key[], most: number): Promise<Resolution> {
  if (keys.length === 0) return { found: [], missing: [], calls: 0 };
  const found = new Set<Key>();
  const missing = new Set<Key>();
  let calls = 0;
  const isListed = set.list !== undefined && set.list.fixed === undefined;
  // One call by key decides of a key, and a page may lack it.
  if (isListed && (most > 1 || set.read === undefined)) {
    const byIds = await readByIds(run, set, keys);
    const { data, isWhole } = byIds?.data === undefined ? await readPageOf(run, set) : byIds;
    calls += byIds === undefined || byIds.data !== undefined ? 1 : 2;
    const names = new Set(data.map((row) => keyName(keyOf(set, row))));
    for (const key of keys) {
      if (names.has(keyName(key))) found.add(key);
      else if (isWhole && set.read === undefined) missing.add(key);
    }
  }
  for (const key of keys) {
    if (calls >= most || found.has(key) || missing.has(key)) continue;
    const exists = await isThere(run, set, key);
    calls += 1;
    if (exists === undefined) break;
    (exists ? found : missing).add(key);
  }
  return { found: [...found], missing: [...missing], calls };
}

function keyOf({ entityType: { key } }: EntitySet, row: Row): Key {
  return new Map(key.map((name) => [name, row[name] ?? null]));
}

interface LookedAt {
  readonly data: readonly Row[];
  /** True if no other entity of the set could have been returned. */
  readonly isWhole: boolean;
}

/**
 * Undefined if no parameter of the list takes the keys, so that no call is made; without data if the parameter has not
 * chosen entities by them.
 */
async function readByIds(
  run: Run,
  set: EntitySet,
  keys: readonly Key[],
): Promise<LookedAt | { readonly data?: undefined } | undefined> {
  const { entityType, list } = set;
  const [name, ...more] = entityType.key;
  const parameter = list?.narrowing?.find((each) => name !== undefined && isOfIds(each, name));
  if (parameter === undefined || name === undefined || more.length > 0) return undefined;
  const most = parameter.condition.kind === 'in' ? (parameter.condition.most ?? MOST_VALUES) : 1;
  const values = keys.map((key) => key.get(name) ?? null);
  const sent = values.filter((value) => isSendable(parameter, entityType, value)).slice(0, most);
  if (sent.length === 0) return undefined;
  const page = await readList(run, set, narrowingArguments(parameter, entityType, sent));
  const isOfSome = page !== undefined && page.data.length > 0 && page.data.length <= sent.length;
  return isOfSome ? { data: [...page.data], isWhole: sent.length === keys.length } : {};
}

function isOfIds({ condition, path, member, hasDefault }: NarrowingParameter, key: string): boolean {
  return condition.kind === 'in' && path.join('/') === key && member === undefined && hasDefault !== true;
}

async function readPageOf(run: Run, set: EntitySet): Promise<LookedAt> {
  const page = await firstPage(run, set);
  return page === undefined
    ? { data: [], isWhole: false }
    : { data: [...page.data], isWhole: page.next === undefined };
}

function firstPage(run: Run, set: EntitySet): Promise<CollectionSnapshot | undefined> {
  const page = run.pages.get(set.name) ?? readList(run, set, {});
  run.pages.set(set.name, page);
  return page;
}

/** The first page, with keys and foreign keys alone; undefined if it cannot be read. */
async function readList(run: Run, set: EntitySet, args: Arguments): Promise<CollectionSnapshot | undefined> {
  const { source, call, relations } = run;
  if (set.list === undefined) return undefined;
  const own = relations.filter(({ entityType }) => entityType === set.entityType.name);
  const entityType = withAliases(set.entityType, own);
  const referring = own.flatMap(({ constraints }) => constraints.map(({ property }) => property));
  const properties = [...new Set([...entityType.key, ...referring])];
  const list: TriedList = { resource: set.name, entityType, operation: set.list, arguments: args };
  const part = { skip: 0, top: undefined, mayBeShort: true };
  try {
    return await source.readCollection({ ...list, properties, part }, call);
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** The type with the properties that suggested relations would have, which the served type lacks. */
function withAliases(type: EntityType, relations: readonly FoundRelation[]): EntityType {
  const aliases = relations.flatMap(({ alias }) =>
    alias === undefined || type.structuralProperties.has(alias.name)
      ? []
      : [[alias.name, { ...alias, type: alias.type as PrimitiveType, definition: undefined }] as const],
  );
  if (aliases.length === 0) return type;
  return { ...type, structuralProperties: new Map([...type.structuralProperties, ...aliases]) };
}

/** Whether the set has an entity with the key; undefined if it cannot be read by it. */
async function isThere({ source, call }: Run, set: EntitySet, key: Key): Promise<boolean | undefined> {
  const { read, entityType, name } = set;
  const args = read?.parameters.map((parameter) => [parameter.name, key.get(parameter.property)] as const);
  if (read === undefined || args === undefined || args.some(([, value]) => value === undefined))
    return undefined;
  try {
    const found = await source.readEntity(
      {
        resource: name,
        entityType,
        operation: read,
        arguments: Object.fromEntries(args) as Arguments,
        properties: entityType.key,
      },
      call,
    );
    return found !== undefined;
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
