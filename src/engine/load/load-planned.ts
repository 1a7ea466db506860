import type {
  Arguments,
  CollectionRead,
  CollectionSnapshot,
  EntitySnapshot,
  ListPart,
  RowSink,
} from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { withArguments } from '../../contract/narrowing-arguments.ts';
import type { ParameterUse } from '../../contract/parameter-trust.ts';
import { type Row, type Rows, rowsBetween } from '../../contract/row.ts';
import { CONCURRENT_CALLS, mapConcurrently } from '../../core/work.ts';
import { isLacking } from '../../model/edm.ts';
import { keyText } from '../plan/conditions.ts';
import type { ListPlan, ReadPlan } from '../plan/read-plan.ts';
import type { LoadContext, LoadedCollection, LoadRequest, LoadSink } from '../resource/load-context.ts';
import { entityByKey } from '../resource/navigation-source.ts';
import type { FoldRows, ReadNeeds } from '../resource/read-needs.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { loadJoined } from './load-joined.ts';
import { type CalledList, calledOperation, provedPlan } from './planned-calls.ts';
import { ArrivingRows, mayComeInPages, openList } from './row-portions.ts';
import { OutOfOrder, sieveFor } from './row-sieve.ts';

/** Loads one entity; undefined if it does not exist. */
type LoadEntity = (
  loading: LoadContext,
  entity: EntityResource,
  wanted: LoadRequest,
) => Promise<EntitySnapshot | undefined>;

/** Loads the entities that a query is about, by the calls of a plan. */
export async function loadPlanned(
  loading: LoadContext,
  collection: CollectionResource,
  called: CalledList,
  wanted: LoadRequest,
  loadEntity: LoadEntity,
): Promise<LoadedCollection> {
  const { needs, isPlain, part, joined } = wanted;
  if (needs !== undefined && joined !== undefined && isPlain !== true && part === undefined) {
    const { joined: _, ...others } = wanted;
    const query = { collection, called, wanted: { ...others, needs } };
    return loadJoined(loading, joined, query, (each) =>
      loadPlanned(loading, collection, called, each, loadEntity),
    );
  }
  // Nothing but the end of a list has the number of rows that meet conditions.
  const isHeld = wanted.sink === undefined || wanted.sink.needsTotal === true;
  const mayFold = isPlain !== true && part === undefined && isHeld;
  if (needs?.fold !== undefined && mayFold && mayComeInPages(loading, collection))
    return loadFolded(loading, needs.fold, (opening, sink) =>
      loadPlanned(opening, collection, called, { ...wanted, sink }, loadEntity),
    );
  if (needs !== undefined && wanted.cut?.from !== undefined)
    return loadCut({ loading, collection, called, wanted, needs, loadEntity }, wanted.cut.from.planned, []);
  const isDeclared = isPlain === true || part !== undefined || needs?.pushed?.isPaged === true;
  if (needs === undefined || isDeclared || isOfAll(needs))
    return loadDeclared(loading, collection, called, wanted);
  const isCounted = wanted.sink?.needsTotal === true;
  if (needs.places !== 'sorted')
    return loadNeeds(loading, collection, called, wanted, { ...needs, isCounted }, loadEntity);
  const { key } = collection.entityType;
  const properties = [...new Set([...wanted.properties, ...key])];
  const found = await loadNeeds(loading, collection, called, { ...wanted, properties }, needs, loadEntity);
  return { ...found, data: inOrderOfKeys(await loading.context.budget.rows(found.data), key) };
}

/** Loads a list, and runs the query while a long one is read. A long list that does not add up is read once more. */
async function loadFolded(
  loading: LoadContext,
  fold: FoldRows,
  load: (loading: LoadContext, sink: LoadSink) => Promise<LoadedCollection>,
): Promise<LoadedCollection> {
  const { budget } = loading.context;
  for (let tries = 1; ; tries += 1) {
    const opened = await openList(loading, { isPaced: false }, load);
    if (opened.kind === 'whole') return opened.snapshot;
    const rows = new ArrivingRows(opened.portions, budget);
    try {
      await rows.arrive();
      return { data: [], version: undefined, result: await fold(budget, rows) };
    } catch (error) {
      if (tries > 1 || !isBrokenList(error)) throw error;
    } finally {
      opened.close();
    }
  }
}

/** Rows are mostly in this order already. */
function inOrderOfKeys(rows: readonly Row[], key: readonly string[]): readonly Row[] {
  const compare = (one: Row, other: Row): number => {
    for (const name of key) {
      const [left, right] = [one[name] ?? null, other[name] ?? null];
      if (left !== right && left !== null && right !== null) return left < right ? -1 : left > right ? 1 : 0;
    }
    return 0;
  };
  const isInOrder = rows.every((row, index) => {
    const before = rows[index - 1];
    return before === undefined || compare(before, row) <= 0;
  });
  return isInOrder ? rows : rows.toSorted(compare);
}

async function loadNeeds(
  loading: LoadContext,
  collection: CollectionResource,
  called: CalledList,
  wanted: LoadRequest,
  needs: ReadNeeds,
  loadEntity: LoadEntity,
): Promise<LoadedCollection> {
  const plan = await provedPlan(loading, collection, called, needs);
  try {
    return await loadBy(plan, { loading, collection, called, wanted, needs, loadEntity });
  } catch (error) {
    if (isUnplanned(plan) || !isRefusal(error, plan)) throw error;
    for (const use of contradictedUses(error, plan))
      loading.service.trust?.contradict(calledOperation(called, needs), use, loading.context);
    if (wanted.sink?.hasTaken === true) throw error;
    return loadDeclared(loading, collection, called, wanted);
  }
}

/** Whether nothing of the query makes another plan than to read the whole list. */
function isOfAll({ keys, conditions, end }: ReadNeeds): boolean {
  return keys === undefined && conditions.length === 0 && end === undefined;
}

function isUnplanned(plan: ReadPlan): boolean {
  if (plan.kind !== 'list') return false;
  const isNarrowed = Object.keys(plan.arguments).length > 0 || plan.each !== undefined;
  return !isNarrowed && plan.end === undefined;
}

/** Statuses that are about the caller's rights or pace, and not about what was sent. */
const RIGHTS_OR_PACE: ReadonlySet<number> = new Set([401, 403, 429]);

/** The uses that an answer has contradicted: an order, or parameters that break the pages of the list. */
function contradictedUses(error: unknown, plan: ReadPlan): readonly ParameterUse[] {
  if (plan.kind !== 'list') return [];
  const { sorting, uses } = plan;
  if (error instanceof OutOfOrder) return sorting === undefined ? [] : [{ kind: 'order', sorting }];
  return isBrokenList(error) ? uses : [];
}

/** Whether the pages of a list do not add up, and no limit of the gateway was exceeded. */
function isBrokenList(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'UpstreamIncomplete' && error.limit === undefined;
}

/** Whether the API rejects what was sent, so that the whole list is read instead. */
function isRefusal(error: unknown, { kind }: ReadPlan): boolean {
  if (error instanceof OutOfOrder || error instanceof UnknownCase || isBrokenList(error)) return true;
  if (!(error instanceof GatewayError)) return false;
  const { refusal, code } = error;
  // A read by key may have an answer that the list does not have, or find several entities.
  if (refusal === undefined) return kind !== 'list' && code === 'UpstreamBadResponse';
  return refusal >= 400 && refusal < 500 && !RIGHTS_OR_PACE.has(refusal);
}

interface PlannedLoad {
  readonly loading: LoadContext;
  readonly collection: CollectionResource;
  readonly called: CalledList;
  readonly wanted: LoadRequest;
  readonly needs: ReadNeeds;
  readonly loadEntity: LoadEntity;
}

function loadBy(plan: ReadPlan, load: PlannedLoad): Promise<LoadedCollection> {
  switch (plan.kind) {
    case 'keys':
      return loadByKeys(plan.keys, load);
    case 'ids':
      return loadByIds(plan, load);
    case 'list':
      if (
        load.wanted.cut !== undefined &&
        plan.each === undefined &&
        plan.sorting === undefined &&
        load.called.lists === undefined
      )
        return loadCut(load, plan.arguments, plan.uses);
      return isUnplanned(plan)
        ? loadDeclared(load.loading, load.collection, load.called, load.wanted)
        : loadByList(plan, load);
  }
}

/** A UUID of a query is not found: the API may have it in another case. */
class UnknownCase extends Error {}

/**
 * Entities that do not exist are left out. Where an answer has another key than was asked for, the API takes the key for
 * something else than the list does, such as `7` for the name of another entity: it is refused.
 */
async function loadByKeys(
  keys: readonly Row[],
  { loading, collection, called: { list }, wanted, needs, loadEntity }: PlannedLoad,
): Promise<LoadedCollection> {
  const { key } = collection.entityType;
  const uncast: CollectionResource = { ...collection, type: collection.entityType, isCast: false };
  const { dynamic } = wanted;
  const names = Object.keys(keys[0] ?? {});
  const properties = [...new Set([...wanted.properties, ...needs.completed, ...key, ...names])];
  const found = await mapConcurrently(keys, CONCURRENT_CALLS, async (each) => {
    const entity = await loadEntity(loading, entityByKey(uncast, each), { properties, dynamic });
    const isOther = entity !== undefined && keyText(entity.data, names) !== keyText(each, names);
    if (isOther) throw new GatewayError('UpstreamBadResponse', OTHER_ENTITY);
    return entity;
  });
  if (needs.isWritten && found.includes(undefined)) {
    const { structuralProperties } = collection.entityType;
    const isOfUuids = names.some((name) => structuralProperties.get(name)?.type.name === 'Edm.Guid');
    if (isOfUuids) throw new UnknownCase();
  }
  const lacking = properties.filter((name) => isLacking(list, collection.entityType, name));
  const hidden = lacking.filter((name) => !needs.completed.includes(name));
  const nulls = Object.fromEntries(hidden.map((name) => [name, null]));
  const rows = found.flatMap((each) => (each === undefined ? [] : [{ ...each.data, ...nulls }]));
  const [only] = found;
  const version = keys.length === 1 ? only?.version : undefined;
  return {
    data: distinct(
      rows.map((row) => [row]),
      key,
    ),
    version,
    isComplete: true,
  };
}

const OTHER_ENTITY = 'A read by key was answered with an entity that has another key.';

/**
 * The rows of all answers. An entity that an earlier answer has is left out: an API may take a value for the beginning of
 * others. Of one answer, all rows are taken.
 */
function distinct(answers: readonly (readonly Row[])[], key: readonly string[]): readonly Row[] {
  const before = new Set<string>();
  return answers.flatMap((rows) => {
    const own = rows.map((row) => ({ row, text: keyText(row, key) }));
    const others = own.filter(({ text }) => !before.has(text));
    for (const { text } of own) before.add(text);
    return others.map(({ row }) => row);
  });
}

async function loadByIds(
  { keys, each, property }: Extract<ReadPlan, { readonly kind: 'ids' }>,
  load: PlannedLoad,
): Promise<LoadedCollection> {
  const { collection, wanted } = load;
  const { key } = collection.entityType;
  const properties = [...new Set([...wanted.properties, ...key, property])];
  const listed = await readLists({ ...load, wanted: { ...wanted, properties } }, {}, each);
  const came = new Set(listed.map((row) => String(row[property])));
  const missing = keys.filter((each) => !came.has(String(each[property])));
  const isRead = missing.length > 0 && load.called.read !== undefined;
  const others = isRead ? await loadByKeys(missing, load) : NO_ROWS;
  return {
    data: distinct([listed, await load.loading.context.budget.rows(others.data)], key),
    version: undefined,
  };
}

const NO_ROWS: LoadedCollection = { data: [], version: undefined };

/** The rows of several calls of a list, each once. */
async function readLists(
  load: PlannedLoad,
  planned: Arguments,
  each: readonly Arguments[],
): Promise<readonly Row[]> {
  const { budget } = load.loading.context;
  const answers = await mapConcurrently(each, CONCURRENT_CALLS, async (args) => {
    const { data } = await readList(load, withArguments(planned, args), undefined);
    return budget.rows(data);
  });
  return distinct(answers, load.collection.entityType.key);
}

async function loadByList(plan: ListPlan, load: PlannedLoad): Promise<LoadedCollection> {
  const { loading, collection, wanted, needs } = load;
  const { key } = collection.entityType;
  if (plan.each !== undefined) {
    const properties = [...new Set([...wanted.properties, ...key])];
    const data = await readLists({ ...load, wanted: { ...wanted, properties } }, plan.arguments, plan.each);
    return { data, version: undefined };
  }
  if (plan.isExact && needs.isCount) {
    // An API may ignore a value, such as zero: its page shows that.
    const part: ListPart = { skip: 0, top: undefined, mayBeShort: true };
    const counted = await readList(load, plan.arguments, part);
    const accepted = await needs.accept?.(loading.context.budget, counted.data);
    checkUses(load, plan.uses, counted.data);
    if (counted.total !== undefined && accepted?.length === counted.data.length)
      return { ...counted, version: undefined, isCounted: true };
  }
  // Of a sorted list, any page may show that it is not, which makes another plan.
  const isTotal = wanted.sink?.needsTotal !== true || plan.isExact;
  const sink = plan.sorting === undefined && isTotal ? wanted.sink : undefined;
  const sieve = sieveFor(loading, needs, plan, sink, (rows) => checkUses(load, plan.uses, rows));
  const part = sieve && { skip: 0, top: undefined, mayBeShort: false, sieve };
  const found = await readList(load, plan.arguments, part, sink);
  const isNarrowed = Object.keys(plan.arguments).length > 0;
  if (part === undefined) checkUses(load, plan.uses, found.data);
  const isSieved = sieve?.isUsed === true;
  return { data: found.data, version: isNarrowed ? undefined : found.version, isSieved };
}

/** A page of the entities that meet the conditions, from the position in the list at which it begins. */
async function loadCut(
  load: PlannedLoad,
  planned: Arguments,
  uses: readonly ParameterUse[],
): Promise<LoadedCollection> {
  const { loading, wanted, needs } = load;
  const { cut } = wanted;
  const check = (rows: Rows): void => checkUses(load, uses, rows);
  const sieve =
    cut && sieveFor(loading, needs, { end: Number.POSITIVE_INFINITY, sorting: undefined }, undefined, check);
  if (cut === undefined || sieve === undefined)
    throw new Error('No page of selected entities was requested.');
  const { from, top, isPeeking } = cut;
  const part: ListPart = { from: from?.position, skip: 0, top, mayBeShort: false, isPeeking, sieve };
  const found = await readList(load, planned, part);
  const version = Object.keys(planned).length > 0 ? undefined : found.version;
  return { data: found.data, version, next: found.next, planned };
}

/** Has rows of a narrowed list show whether its parameters still do what they did. */
function checkUses({ loading, called, needs }: PlannedLoad, uses: readonly ParameterUse[], rows: Rows): void {
  if (uses.length > 0)
    loading.service.trust?.check(calledOperation(called, needs), uses, rows, loading.context);
}

/** Reads a list with the arguments of a plan beside those that the document declares. */
function readList(
  { loading, collection, called, wanted, needs }: PlannedLoad,
  planned: Arguments,
  part: ListPart | undefined,
  sink?: RowSink,
): Promise<CollectionSnapshot> {
  const { resource, entityType } = collection;
  const { properties, dynamic } = wanted;
  const operation = calledOperation(called, needs);
  const args = withArguments({ ...called.args, ...needs.pushed?.arguments }, planned);
  const { lists } = called;
  return loading.service.source.readCollection(
    { resource, entityType, operation, arguments: args, lists, properties, dynamic, part, sink },
    loading.context,
  );
}

/** All entities of a list, or the part of it that the query wants, by the parameters that the document declares. */
async function loadDeclared(
  loading: LoadContext,
  { resource, entityType }: CollectionResource,
  { list, page, args, lists }: CalledList,
  { properties, dynamic, needs, sink, part = needs?.pushed?.part }: LoadRequest,
): Promise<LoadedCollection> {
  const pushed = needs?.pushed;
  const isCounted = pushed?.isCounted === true;
  const filtered = pushed?.arguments ?? {};
  const isWhole = part === undefined && Object.keys(filtered).length === 0;
  const operation = page === undefined || (list.id !== page.id && isWhole) ? list : page;
  // A part that is counted is all of the list, if its answers have no total.
  const isHeld = part?.counted === true || (sink?.needsTotal === true && !isCounted);
  const taking = isHeld ? undefined : sink;
  const sieve = part === undefined && needs ? sieveFor(loading, needs, WHOLE_LIST, taking) : undefined;
  const read = (wanted: ListPart | undefined): Promise<CollectionSnapshot> => {
    const requested: CollectionRead = {
      resource,
      entityType,
      operation,
      arguments: { ...args, ...(operation === page && filtered) },
      lists,
      properties,
      dynamic,
      part: wanted,
      sink: taking,
    };
    return loading.service.source.readCollection(requested, loading.context);
  };
  const found = await read(
    sieve === undefined ? part : { skip: 0, top: undefined, mayBeShort: false, sieve },
  );
  if (sieve?.isUsed === true) return { ...found, isSieved: true };
  if (part === undefined) {
    if (isWhole && lists === undefined)
      await confirmUses(loading, { resource, entityType }, { list, args }, found);
    return isCounted ? { ...found, total: found.data.length } : found;
  }
  if (!isCounted || part.mayBeShort || found.total !== undefined) return found;
  // The document declares a total, and the answer has none: all entities are counted.
  const whole = await read(undefined);
  return partOf({ ...whole, total: whole.data.length }, part);
}

/** Has all rows of a list show whether parameters that its beginning has proved find the late ones, too. */
async function confirmUses(
  { service: { source, trust }, context }: LoadContext,
  { resource, entityType }: Pick<CollectionResource, 'resource' | 'entityType'>,
  { list, args }: Pick<CalledList, 'list' | 'args'>,
  { data }: CollectionSnapshot,
): Promise<void> {
  const isOfSeveral = data.length > (source.estimateOf?.(list)?.pageSize ?? Number.POSITIVE_INFINITY);
  if (trust === undefined || !isOfSeveral || list.narrowing === undefined) return;
  await trust.confirm(source, { resource, entityType, operation: list, arguments: args }, data, context);
}

const WHOLE_LIST = { end: undefined, sorting: undefined };

function partOf(
  whole: CollectionSnapshot,
  { skip, top = Number.POSITIVE_INFINITY }: ListPart,
): CollectionSnapshot {
  const data: Rows = rowsBetween(whole.data, skip, skip + top);
  return { ...whole, data };
}
