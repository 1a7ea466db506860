import { LRUCache } from 'lru-cache';
import { wholeArguments } from '../contract/default-arguments.ts';
import type {
  Arguments,
  CallableCall,
  Changes,
  ChangesRead,
  CollectionRead,
  CollectionSnapshot,
  EntityDelete,
  EntityInsert,
  EntityRead,
  EntitySnapshot,
  EntitySource,
  EntityUpdate,
  JointLists,
  ListEstimate,
  RowSink,
  Snapshot,
  StreamDelete,
  StreamRead,
  StreamSnapshot,
  StreamWrite,
  WriteConditions,
} from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import { NO_READ_COUNTS, type ReadCounts } from '../contract/read-counts.ts';
import {
  arrayOf,
  mappedRows,
  ownValue,
  PARTIAL,
  type Row,
  type Rows,
  TAG,
  type Value,
} from '../contract/row.ts';
import { DEFAULT_PAGE_LIMITS, type PageLimits } from '../core/request-limits.ts';
import type { GatewayMesh } from '../mesh/mesh.ts';
import { executeField } from '../mesh/operation-field.ts';
import { type EntityType, isComparable, isLacking, type Operation, type TypeUse } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import type { ListOperation, Paging } from '../model/operation.ts';
import { isNumeric, type PrimitiveTypeName } from '../model/type-use.ts';
import type { FieldCall, ReceivedAnswer } from '../upstream/calls/mesh-context.ts';
import { digestOf } from '../upstream/exchange/upstream-exchange.ts';
import {
  badResponse,
  changeOf,
  insertFailure,
  logFailure,
  missing,
  outdated,
  refused,
  undefinedIfMissing,
} from '../upstream/exchange/upstream-failure.ts';
import { Exports } from '../upstream/paging/exports.ts';
import { JointVersions } from '../upstream/paging/joint-reading.ts';
import { assertInTime, type FetchedPage, type PagedList } from '../upstream/paging/page-fetcher.ts';
import { type BodySigns, NO_SIGNS } from '../upstream/paging/page-signs.ts';
import type { PagePlace } from '../upstream/paging/paging-strategy.ts';
import { type ReadList, readLists } from '../upstream/paging/read-lists.ts';
import { readPages } from '../upstream/paging/read-pages.ts';
import { ShownPagesMemory } from '../upstream/paging/shown-pages.ts';
import { conversionTo } from '../upstream/reading/json-leaf.ts';
import {
  type ArgumentWriter,
  type CallArguments,
  callArguments,
} from '../upstream/sending/call-arguments.ts';
import { parameterTypes } from '../upstream/sending/parameter-types.ts';
import { argumentBody, entityBody } from '../upstream/sending/request-body.ts';
import { ListEstimates } from './list-estimates.ts';
import {
  changesQuery,
  collectionQuery,
  type DecodedData,
  entityQuery,
  listOfOneQuery,
  type MeshQuery,
  resultQuery,
  returnsList,
  streamQuery,
  writtenEntityQuery,
} from './mesh-query.ts';
import { readKeyed } from './row-keys.ts';
import { isSplit, splitReading } from './whole-list.ts';

interface EntitySourceOptions {
  readonly mesh: GatewayMesh;
  readonly model: Model;
  /** The limits for reading one list. */
  readonly pages?: PageLimits;
  readonly counts?: ReadCounts | undefined;
}

export function createEntitySource({
  mesh,
  model,
  pages = DEFAULT_PAGE_LIMITS,
  counts = NO_READ_COUNTS,
}: EntitySourceOptions): EntitySource {
  return new MeshSource(mesh, model, pages, counts);
}

/**
 * Reads, writes and calls by executions on the mesh: one for each call of the upstream, as for each page of a list.
 * What the upstream answers is read for the properties that are wanted; where it has not changed, what was made of
 * it before is given again.
 */
class MeshSource implements EntitySource {
  readonly #mesh: GatewayMesh;
  readonly #pages: PageLimits;
  readonly #versions = new JointVersions();
  readonly #exports: Exports;
  readonly #shownPages = new ShownPagesMemory();
  readonly #writer: ArgumentWriter;
  readonly #collections = new QueryMemory<Rows>();
  readonly #entities = new QueryMemory<Row>();
  readonly #listsOfOne = new QueryMemory<Rows>();
  readonly #changes = new QueryMemory<Changes>();
  readonly #written = new QueryMemory<Row | undefined>();
  readonly #results = new QueryMemory<Value>();
  readonly #streams = new QueryMemory<StreamSnapshot>();
  readonly #estimates = new ListEstimates();
  readonly #counts: ReadCounts;

  constructor(mesh: GatewayMesh, model: Model, pages: PageLimits, counts: ReadCounts) {
    this.#counts = counts;
    this.#mesh = mesh;
    this.#pages = pages;
    this.#exports = new Exports(pages);
    this.#writer = { types: parameterTypes(model) };
  }

  estimateOf(operation: ListOperation): ListEstimate | undefined {
    return this.#estimates.of(operation);
  }

  readCollection(asked: CollectionRead, call: CallContext) {
    return readKeyed(asked, (read) => this.#readRows(read, call));
  }

  async #readRows(asked: CollectionRead, call: CallContext): Promise<CollectionSnapshot> {
    const { operation, part } = asked;
    const [own = {}] = asked.lists?.each ?? [];
    const calls = wholeArguments(operation, { ...asked.arguments, ...own });
    const lists = joinedLists(asked.lists, calls);
    const each = lists?.each ?? calls;
    const { properties, split, joined } = splitReading(asked, each);
    const read = { ...asked, properties };
    const query = this.#collections.get(entityKey(read), () => collectionQuery(this.#answered(read)));
    const readList: ReadList = async (own, wanted, listCall, joint, taking) => {
      const args = { ...read.arguments, ...own };
      const fetch: PagedList['fetch'] = async (page, pageCall) => {
        const request = { operation, arguments: { ...args, ...page.arguments }, isList: true };
        const snapshot = await this.#run(query, request, { ...READ, target: page.target }, pageCall);
        if (snapshot === undefined) return undefined;
        this.#estimates.notePage(operation, snapshot.data.length);
        this.#noteRead(read, snapshot.data.length, call, snapshot.isKept);
        if (call.cost !== undefined) call.cost.pages += 1;
        return fetchedPage({ ...snapshot, data: withArguments({ ...read, arguments: args }, snapshot.data) });
      };
      let isPassedOn = false;
      const put: RowSink['put'] = async (rows, total) => {
        isPassedOn = true;
        await taking?.put(rows, total);
      };
      const { isPaced = false, needsTotal = false } = taking ?? {};
      const sink = taking && { isPaced, needsTotal, put };
      const isPlain = Object.keys(args).every((name) => calls.length === 1 && name in (calls[0] ?? {}));
      const isWhole = isPlain && wanted === undefined && joint === undefined;
      const whole = isWhole ? operation : undefined;
      const list = {
        ...this.#listOf(operation, operation.paging, listCall, fetch, { whole, sink }),
        joint,
        sink,
      };
      const found = await readPages(list, wanted, listCall);
      if (isPlain && !isPassedOn) this.#estimates.noteList(operation, wanted, found);
      return found;
    };
    if (lists === undefined) return readList(calls[0] ?? {}, part, call, undefined, asked.sink);
    const limits = this.#pages;
    if (!isSplit(operation, each)) {
      const exports = this.#exports;
      return readLists(lists, part, { limits, call, exports, sink: asked.sink, read: readList });
    }
    const all = { limits, call, exports: this.#exports, sink: undefined, read: split(readList) };
    return joined((wanted) => readLists(lists, wanted, all), part);
  }

  async readChanges(read: ChangesRead, call: CallContext) {
    const { operation, since } = read;
    const query = this.#changes.get(entityKey(read), () =>
      changesQuery({ ...read, ...this.#readingOf(operation) }),
    );
    const request = { operation, arguments: since === undefined ? {} : { [operation.since]: since } };
    const sent = { ...READ, takesInput: since !== undefined };
    try {
      return (await this.#run(query, request, sent, call))?.data ?? missing();
    } catch (error) {
      throw since === undefined ? error : outdated(error);
    }
  }

  async readEntity(read: EntityRead, call: CallContext) {
    if (read.operation.isList === true) return this.#readListOfOne(read, call);
    const query = this.#entities.get(entityKey(read), () => entityQuery(this.#answered(read)));
    const found = await this.#run(query, read, READ, call)?.catch(undefinedIfMissing);
    this.#noteRead(read, found === undefined ? 0 : 1, call, found?.isKept);
    return found && { ...found, data: withArgument(read, found.data) };
  }

  async insert(insert: EntityInsert, call: CallContext) {
    const { operation, entityType, content } = insert;
    const isForwarded = content.kind === 'verbatim';
    const isUntyped = operation.untyped === true;
    const sent = isForwarded
      ? { body: content.body, mediaType: content.mediaType }
      : entityBody(operation, entityType, content.values, 'omitted');
    try {
      const query = this.#writtenQuery(insert, isUntyped);
      const answered = (await this.#run(query, insert, { ...WRITE, ...sent }, call)) ?? missing();
      const properties = answeredProperties(insert);
      const places = this.#placesOf(insert);
      const row = createdRow({ entityType, properties, places, isForwarded, isUntyped }, answered);
      return row === undefined || row[PARTIAL] === true ? row : withArgument(insert, row);
    } catch (error) {
      throw insertFailure(operation, error);
    }
  }

  async update(update: EntityUpdate, call: CallContext) {
    const { operation, entityType, values } = update;
    // A replacement resets what it leaves out (RFC 9110, 9.3.4).
    const body = entityBody(
      operation,
      entityType,
      values,
      operation.method === 'PUT' ? 'omitted' : 'cleared',
    );
    const { asked, conditions } = conditional(update);
    const sent = { ...WRITE, ...body, conditions };
    const { data, etag } = (await this.#run(this.#writtenQuery(update), asked, sent, call)) ?? missing();
    return data && tagged(withArgument(update, data), etag);
  }

  async delete(remove: EntityDelete, call: CallContext) {
    const { source, id } = remove.operation;
    const query = this.#results.get(`${source} ${id}`, () =>
      resultQuery(this.#mesh.fieldOf(remove.operation)),
    );
    const { asked, conditions } = conditional(remove);
    if ((await this.#run(query, asked, { ...WRITE, conditions }, call)) === undefined) missing();
  }

  async call(callable: CallableCall, call: CallContext) {
    const { operation, paging } = callable;
    const { field, lenience } = this.#readingOf(operation);
    const query = this.#results.get(resultKey(callable), () => resultQuery(field, callable, lenience));
    const body = callable.body && argumentBody(this.#writer.types, operation, callable.body);
    const ask = async (given: Arguments, asking: CallContext, target?: string) => {
      const request = { operation, arguments: { ...callable.arguments, ...given } };
      return (await this.#run(query, request, { ...WRITE, ...body, target }, asking)) ?? refused();
    };
    if (!returnsList(callable) || isAboutPages(callable)) return ask({}, call);
    const list = this.#listOf(operation, paging, call, async (page, pageCall) => {
      const snapshot = await ask(page.arguments, pageCall, page.target);
      return fetchedPage({ ...snapshot, data: (snapshot.data ?? []) as readonly Row[] });
    });
    const { data, version } = await readPages(list, undefined, call);
    return { data: arrayOf(data), version };
  }

  async readStream(read: StreamRead, call: CallContext) {
    const { operation, conditions } = read;
    const isCall = read.kind === 'call';
    const body = read.body && argumentBody(this.#writer.types, operation, read.body);
    const sent = { ...(isCall ? WRITE : READ), ...body, stream: { conditions } };
    return (await this.#stream(read, sent, call)) ?? (isCall ? refused() : missing());
  }

  async writeStream(write: StreamWrite, call: CallContext) {
    const { body, mediaType, conditions } = write;
    const sent = { ...WRITE, body, mediaType, stream: { conditions } };
    return changeOf((await this.#stream(write, sent, call)) ?? missing());
  }

  async deleteStream(remove: StreamDelete, call: CallContext) {
    const sent = { ...WRITE, stream: { conditions: remove.conditions } };
    changeOf((await this.#stream(remove, sent, call)) ?? missing());
  }

  /** Undefined where an argument cannot be written as a value of the upstream's, and only there: nothing is called then. */
  #run<Data>(
    query: MeshQuery<Data>,
    asked: RequestedCall,
    sent: Sending,
    call: CallContext,
  ): Promise<MeshSnapshot<Data>> | undefined {
    const { operation } = asked;
    const isLenient = this.#mesh.lenienceOf(operation.source) !== undefined;
    const takesText = (name: string) => isLenient && (asked.isList === true || isOfOwner(operation, name));
    const declared = query.field.arguments;
    const args = callArguments({ ...this.#writer, takesText }, operation, declared, asked.arguments);
    const isUndescribed = sent.body !== undefined && query.field.mediaType === undefined;
    const mediaType = sent.mediaType ?? (isUndescribed ? 'application/json' : undefined);
    const { rate, maxAge } = operation;
    return args && this.#counted(execute(query, args, { ...sent, mediaType, rate, maxAge }, call), call);
  }

  async #counted<Result>(calling: Promise<Result>, { cost }: CallContext): Promise<Result> {
    if (cost === undefined) return calling;
    cost.begin();
    try {
      return await calling;
    } finally {
      cost.end();
    }
  }

  #noteRead(
    { resource }: Pick<EntityRead, 'resource'>,
    rows: number,
    { cost }: CallContext,
    isKept = false,
  ): void {
    this.#counts.note(resource, rows, isKept);
    if (cost !== undefined) cost.rows += rows;
  }

  async #stream(asked: RequestedCall, sent: Sending, call: CallContext): Promise<StreamSnapshot | undefined> {
    const { source, id } = asked.operation;
    const query = this.#streams.get(`${source} ${id}`, () =>
      streamQuery(this.#mesh.fieldOf(asked.operation)),
    );
    return (await this.#run(query, asked, sent, call))?.data;
  }

  /** The entity with the key that is asked for, where the answer to that is a list. */
  async #readListOfOne(read: EntityRead, call: CallContext): Promise<EntitySnapshot | undefined> {
    const key = keyArguments(read);
    const wanted = { ...read, properties: [...new Set([...read.properties, ...key.keys()])] };
    const query = this.#listsOfOne.get(entityKey(wanted), () => listOfOneQuery(this.#answered(wanted)));
    const found = await this.#run(query, read, READ, call)?.catch(undefinedIfMissing);
    const rows = found === undefined ? [] : arrayOf(found.data);
    this.#noteRead(read, rows.length, call, found?.isKept);
    const exact = rows.filter((each) => isOfKey(each, key, String));
    if (exact.length > 1) throw badResponse('expected one entity with the key, found several');
    const row = exact[0] ?? rows.find((each) => isOfKey(each, key, foldedText));
    return found && row && { ...found, data: withArgument(read, row) };
  }

  #writtenQuery(change: EntityInsert | EntityUpdate, mayBeOther = false): MeshQuery<Row | undefined> {
    return this.#written.get(entityKey(change), () =>
      writtenEntityQuery({ ...this.#answered(change), mayBeOther }),
    );
  }

  /** The options for decoding a response. */
  #answered<Wanted extends Read>(read: Wanted) {
    return { ...read, ...this.#readingOf(read.operation), properties: answeredProperties(read) };
  }

  #readingOf(operation: Operation) {
    return { field: this.#mesh.fieldOf(operation), lenience: this.#mesh.lenienceOf(operation.source) };
  }

  #listOf(
    operation: Operation,
    paging: Paging = NO_PAGING,
    call: CallContext,
    fetch: PagedList['fetch'],
    { whole, sink }: { readonly whole?: ListOperation | undefined; readonly sink?: object | undefined } = {},
  ): PagedList {
    const field = `${operation.source}.Query.${operation.id}`;
    const report = (error: unknown) => logFailure(this.#mesh.log, field, call, error);
    const [limits, versions, exports] = [this.#pages, this.#versions, this.#exports];
    const shown = async () => {
      const access = this.#mesh.upstreamOf(operation.source ?? '')?.access;
      return this.#shownPages.of(field, (await access?.for(call))?.owner ?? '');
    };
    let isFirst = true;
    const metered: PagedList['fetch'] = async (page, pageCall) => {
      const pages = whole && isFirst ? this.#estimates.pagesOf(whole) : undefined;
      isFirst = false;
      if (pages !== undefined) {
        // The call itself reports what keeps it from being made.
        const forecast = await this.#forecastOf(operation, pageCall).catch(() => AT_ONCE);
        const expected = { requests: pages, time: limits.time, isPassedOn: sink !== undefined };
        assertInTime(forecast, `${pages} pages`, expected);
      }
      return fetch(page, pageCall);
    };
    const place = this.#placeOf(operation);
    const forecast = (requests: number) => {
      if (whole !== undefined) this.#estimates.notePages(whole, requests + 1);
      return this.#forecastOf(operation, call);
    };
    return { paging, place, limits, versions, exports, fetch: metered, forecast, shown, report };
  }

  async #forecastOf(operation: Operation, call: CallContext): Promise<(requests: number) => number> {
    return (await this.#mesh.upstreamOf(operation.source ?? '')?.forecast(operation, call)) ?? AT_ONCE;
  }

  #placesOf({ places = [] }: EntityInsert): readonly EntityPlace[] {
    return places.map((operation) => ({ operation, path: this.#mesh.fieldOf(operation).path }));
  }

  #placeOf(operation: Operation): PagePlace {
    const { url = '', ownParameters = new Set<string>() } = this.#mesh.targetOf(operation) ?? {};
    return { endpoint: url, ownParameters };
  }
}

const AT_ONCE = (): number => 0;

/** Each of the lists by each of the calls; undefined for one call alone. */
function joinedLists(lists: JointLists | undefined, calls: readonly Arguments[]): JointLists | undefined {
  if (lists === undefined && calls.length === 1) return undefined;
  const { each = [{}], missing = 'error' } = lists ?? {};
  return { each: each.flatMap((own) => calls.map((call) => ({ ...call, ...own }))), missing };
}

/** Whether a call says itself which page of its list is wanted, or how large it is to be. */
function isAboutPages({ paging, arguments: given }: CallableCall): boolean {
  const { size, ways = [] } = paging ?? {};
  return [size, ...ways].some((each) => each !== undefined && ownValue(given, each.parameter.name) !== null);
}

interface RequestedCall {
  readonly operation: Operation;
  readonly arguments: Arguments;
  /** A list is asked for: what fills its path has come from the upstream, or is looked for there. */
  readonly isList?: boolean;
}

/** If-Match is an argument where the document has a parameter for it. */
function conditional<Change extends RequestedCall & { readonly conditions?: WriteConditions }>(
  change: Change,
) {
  const { conditions, operation } = change;
  const parameter = operation.precondition?.parameter;
  const match = conditions?.['if-match'];
  if (parameter === undefined || match === undefined) return { asked: change, conditions };
  const conditional = { ...change, arguments: { ...change.arguments, [parameter]: match } };
  return { asked: conditional, conditions: undefined };
}

function tagged(row: Row, etag: string | undefined): Row {
  return etag === undefined ? row : { ...row, [TAG]: etag };
}

/** The parts of a call apart from its arguments, and its acceptable responses. */
type Sending = Pick<
  FieldCall,
  'body' | 'target' | 'mediaType' | 'stream' | 'conditions' | 'takesInput' | 'mayBeEmpty' | 'rate' | 'maxAge'
>;

const READ: Sending = { body: undefined, takesInput: false, mayBeEmpty: false };
const WRITE: Sending = { body: undefined, takesInput: true, mayBeEmpty: true };

/** Of a list whose document says nothing of pages. Its answers may. */
const NO_PAGING: Paging = {
  size: undefined,
  ways: [],
  tells: { next: false, more: false, total: false },
  places: {},
  onward: false,
};

function fetchedPage({ data, version, signs = NO_SIGNS, sent, received }: MeshSnapshot<Rows>): FetchedPage {
  return {
    rows: data,
    length: data.length,
    version,
    bytes: received?.body.length ?? 0,
    signs,
    headers: received?.pageHeaders,
    sent,
  };
}

/** Each holds compiled code. */
const QUERIES_KEPT = 256;

/** The queries that were built last. */
class QueryMemory<Data> {
  readonly #queries = new LRUCache<string, MeshQuery<Data>>({ max: QUERIES_KEPT });

  get(key: string, build: () => MeshQuery<Data>): MeshQuery<Data> {
    const query = this.#queries.get(key) ?? build();
    this.#queries.set(key, query);
    return query;
  }
}

/** The key of a read: equal for reads that the same query answers. */
function entityKey({ operation, entityType, properties, dynamic }: EntityRead): string {
  const { source, id } = operation;
  return `${source} ${id} ${entityType.name} ${dynamic === true ? '*' : ''} ${properties.join(' ')}`;
}

function resultKey({ operation: { source, id }, returns, embedded = [], wrappedIn }: CallableCall): string {
  return `${source} ${id} ${returns?.type.name} ${returns?.collection} ${wrappedIn?.join('/')} ${embedded.join()}`;
}

type Read = Pick<CollectionRead | EntityRead, 'entityType' | 'properties' | 'arguments'> & {
  readonly operation: Operation & Pick<ListOperation, 'fixed' | 'lacks'>;
};

/**
 * The properties that the upstream's answer has, of those that are wanted: others are the call's own parameters, or are
 * not in a list.
 */
function answeredProperties(read: Read): readonly string[] {
  return read.properties.filter((name) => !isElsewhere(read, name));
}

function isElsewhere({ entityType, operation }: Read, name: string): boolean {
  return isArgument(entityType, name) || isLacking(operation, entityType, name);
}

function isArgument({ structuralProperties }: Read['entityType'], name: string): boolean {
  return structuralProperties.get(name)?.argument === true;
}

/**
 * The rows of an answer with the parameters of the call that are wanted as properties, and null for what a list has
 * not; all in the order that is wanted.
 */
function withArguments(read: Read, rows: Rows): Rows {
  const complete = completion(read);
  return complete === undefined ? rows : mappedRows(rows, complete);
}

function withArgument(read: Read, row: Row): Row {
  return completion(read)?.(row) ?? row;
}

function completion(read: Read): ((row: Row) => Row) | undefined {
  const { properties } = read;
  if (!properties.some((name) => isElsewhere(read, name))) return undefined;
  const values = argumentValues(read);
  return (row) => {
    const known = properties.map((name) => [name, values.get(name) ?? row[name] ?? null] as const);
    return { ...Object.fromEntries(known), ...row };
  };
}

/** The values that the properties of the entity's own key have to have. */
function keyArguments({ operation, arguments: args }: EntityRead): ReadonlyMap<string, Value> {
  const own = operation.parameters.filter(({ up = 0 }) => up === 0);
  return new Map(own.map(({ name, property }) => [property, ownValue(args, name)]));
}

/** Whether the row has those values, compared by a text of them. */
function isOfKey(row: Row, key: ReadonlyMap<string, Value>, textOf: (value: unknown) => string): boolean {
  return [...key].every(
    ([name, value]) => (row[name] ?? null) !== null && textOf(row[name]) === textOf(value),
  );
}

/** Some APIs answer with a key in another case than they were asked with. */
function foldedText(value: unknown): string {
  return String(value).toLowerCase();
}

/** The parameters of the call by the properties that they are. */
function argumentValues({ operation, arguments: given }: Read): ReadonlyMap<string, Value> {
  const { fixed = [] } = operation;
  return new Map(
    [...operation.parameters, ...fixed].map(({ name, property }) => [property, ownValue(given, name)]),
  );
}

/** The decoded result of a response. */
interface MeshSnapshot<Data> extends Snapshot<Data> {
  /** The paging members of the body, if the query reads a list. */
  readonly signs: BodySigns | undefined;
  /** The target of the request, and what was received; undefined where there is no body. */
  readonly sent: string;
  readonly received: ReceivedAnswer | undefined;
  /** The upstream's entity tag of what was received. */
  readonly etag?: string | undefined;
  /** The URL of what a write has created. */
  readonly location?: string | undefined;
  /** Identifies the received bytes of a single entity if the upstream sends no tag. */
  readonly digest?: string | undefined;
  /** No call was made: the answer was kept. */
  readonly isKept?: boolean | undefined;
}

/**
 * Executes the query on the mesh and decodes the response. Unchanged upstream data returns the earlier
 * result. A query that does not reach its field is an internal error, thrown with its errors as the cause.
 */
async function execute<Data>(
  query: MeshQuery<Data>,
  { variables, written }: CallArguments,
  sent: Sending,
  call: CallContext,
): Promise<MeshSnapshot<Data>> {
  const fieldCall: FieldCall = {
    ...sent,
    arguments: written,
    decoder: query.decoder,
    loaded: undefined,
    failure: undefined,
  };
  const { errors = [] } = await executeField(query.field, query.document, variables, { call, fieldCall });
  const { failure, loaded } = fieldCall;
  if (failure !== undefined) throw failure;
  if (loaded === undefined) throw unexecuted(query, errors);
  const { data, signs } = loaded.decoded as DecodedData<Data>;
  const { state, received, isKept } = loaded;
  const snapshot = { data, version: state?.version, signs, sent: fieldCall.sent ?? '', received, isKept };
  return query.tagged === true ? taggedSnapshot(snapshot, loaded.received) : snapshot;
}

function unexecuted({ field: { field } }: MeshQuery<unknown>, errors: readonly Error[]): Error {
  const messages = errors.map(({ message }) => message).join(' ');
  const message = `The mesh did not execute ${field.name}: ${messages === '' ? 'it says no error.' : messages}`;
  return new Error(message, { cause: new AggregateError(errors) });
}

/** The stored data may have a new tag. */
function taggedSnapshot<Data>(
  snapshot: MeshSnapshot<Data>,
  received: ReceivedAnswer | undefined,
): MeshSnapshot<Data> {
  if (received === undefined) return snapshot;
  const { etag, location } = received;
  return { ...snapshot, etag, location, digest: etag === undefined ? digestOf(received) : undefined };
}

interface Insertion extends Pick<EntityInsert, 'entityType' | 'properties'> {
  readonly places: readonly EntityPlace[];
  /** True for forwarded bytes, whose result only the upstream knows. */
  readonly isForwarded: boolean;
  /** The answer may be anything: it is of the entity where it has the key. */
  readonly isUntyped: boolean;
}

/** The created entity in a response: a missing key is taken from the URL in Location. */
function createdRow(insertion: Insertion, answered: MeshSnapshot<Row | undefined>): Row | undefined {
  const { etag, location } = answered;
  const { entityType, properties, isForwarded, isUntyped, places } = insertion;
  const key = entityType.key.filter((name) => properties.includes(name));
  const isKeyed = answered.data !== undefined && key.every((name) => answered.data?.[name] !== null);
  const data = isKeyed || !isUntyped ? answered.data : undefined;
  const isWhole = isKeyed && data !== undefined;
  if (isUntyped && isWhole && properties.some((name) => data[name] === null))
    return { ...knownValues(data), [PARTIAL]: true };
  const found = isWhole || location === undefined ? {} : propertiesInLocation(entityType, places, location);
  if (Object.keys(found).length > 0) return { ...found, ...knownValues(data), [PARTIAL]: true };
  if (data === undefined && isForwarded) throw badResponse('expected what was created, found nothing');
  return data && (etag === undefined ? data : { ...data, [TAG]: etag });
}

function knownValues(row: Row = {}): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** An operation at the URL of a single entity, and the template of its path. */
interface EntityPlace {
  readonly operation: Operation;
  readonly path: string;
}

/**
 * The key properties in the URL of an entity (RFC 9110, 10.2.2), absolute or relative, under any base path.
 * Empty for other URLs.
 */
function propertiesInLocation(entityType: EntityType, places: readonly EntityPlace[], location: string): Row {
  for (const place of places) {
    const found = propertiesByTemplate(entityType, place, location.replace(/[?#].*$/, ''));
    if (found !== undefined) return found;
  }
  return {};
}

/** Whether a parameter has its value from an entity above the one that the operation is about. */
function isOfOwner({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name && (parameter.up ?? 0) > 0);
}

function propertiesByTemplate(
  { structuralProperties }: EntityType,
  { operation, path: template }: EntityPlace,
  path: string,
): Row | undefined {
  const texts = argumentsInPath(template, path);
  if (texts === undefined) return undefined;
  const own = operation.parameters.filter(({ up = 0 }) => up === 0);
  const values = own.map(({ name, property }): readonly [string, Value | undefined] => {
    const use = structuralProperties.get(property);
    const text = texts.get(name);
    return [property, use === undefined || text === undefined ? undefined : valueOfText(use, text)];
  });
  const known = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return known.length === values.length ? Object.fromEntries(known) : undefined;
}

/** An argument in the template of a path, as Mesh writes it. */
const ARGUMENT = /\{args\.([^}:|]+)[^}]*\}/g;

/** The values of a template's arguments in a path that ends like the template. */
function argumentsInPath(template: string, path: string): ReadonlyMap<string, string> | undefined {
  const [plain = ''] = template.replace(/^\//, '').split(/[?#]/, 1);
  const names = Array.from(plain.matchAll(ARGUMENT), ([, name = '']) => name);
  const literals = plain.replace(ARGUMENT, '{}').split('{}').map(escaped);
  const found = new RegExp(`(?:^|/)${literals.join('([^/]+)')}/?$`).exec(path);
  const texts = found?.slice(1).map(decoded);
  if (texts === undefined || texts.includes(undefined)) return undefined;
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&');
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function valueOfText({ type }: TypeUse, text: string): Value | undefined {
  switch (type.kind) {
    case 'enumeration':
      return type.members.find((each) => String(each.upstreamValue) === text)?.name;
    case 'primitive':
      return isComparable(type.name) ? primitiveOf(type.name, text) : undefined;
    default:
      return undefined;
  }
}

/** Int64 and Decimal keep their digits. */
const DIGITS: ReadonlySet<string> = new Set(['Edm.Int64', 'Edm.Decimal']);

function primitiveOf(name: PrimitiveTypeName, text: string): Value | undefined {
  const isNumber = isNumeric(name) && !DIGITS.has(name);
  if (isNumber && !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  return conversionTo(name, 'JSON')?.(isNumber ? Number(text) : text);
}
