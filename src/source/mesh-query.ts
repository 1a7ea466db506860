import type { DocumentNode } from 'graphql';
import type { CallableCall, Changes, StreamSnapshot } from '../contract/entity-source.ts';
import type { Row, Rows, Value } from '../contract/row.ts';
import { isObject } from '../core/json-object.ts';
import { everyFew, rowsAtOnce, type Work } from '../core/work.ts';
import { fieldDocument, mismatch, type OperationField } from '../mesh/operation-field.ts';
import {
  comparableType,
  type EntityType,
  isReadable,
  type StructuralProperty,
  type TypeUse,
  upstreamPath,
  withDerivedTypes,
} from '../model/edm.ts';
import type { AnswerPath, ChangesOperation, ListOperation, Operation, Paging } from '../model/operation.ts';
import { badResponse } from '../upstream/exchange/upstream-failure.ts';
import { jsonType } from '../upstream/fields/http-field.ts';
import { type BodySigns, type SignReader, signReader } from '../upstream/paging/page-signs.ts';
import { jsonLeaf } from '../upstream/reading/json-leaf.ts';
import { assertListEnvelope } from '../upstream/reading/list-envelope.ts';
import {
  compileRowReader,
  directly,
  keyReader,
  listDirectly,
  listOfOneReader,
  listReader,
  passingRows,
  type RowColumn,
  type RowReader,
  singleReader,
  valueAt,
} from '../upstream/reading/row-reader.ts';
import {
  type ObjectReader,
  propertyLabel,
  StructuralReaders,
} from '../upstream/reading/structural-reader.ts';
import { entityPathIn, listPathIn } from '../upstream/reading/unknown-shape.ts';
import {
  items,
  JsonPathTracker,
  type LazyReading,
  type Lenience,
  type ResponseDecoder,
  untyped,
} from '../upstream/reading/value-reader.ts';

/** A document of one root field, and what is made of the answer to its call. */
export interface MeshQuery<Data> {
  readonly document: DocumentNode;
  readonly field: OperationField;
  readonly decoder: ResponseDecoder<DecodedData<Data>>;
  /** True if entity tags identify the states of the data. */
  readonly tagged?: boolean;
}

/** The data, and what the answer says of the pages of a list, where it is one. */
export interface DecodedData<Data> {
  readonly data: Data;
  readonly signs: BodySigns | undefined;
}

export interface EntityQueryOptions {
  readonly field: OperationField;
  readonly operation: Operation;
  readonly entityType: EntityType;
  readonly properties: readonly string[];
  readonly dynamic?: boolean;
  /** Undefined where values that are not as they should be are an error. */
  readonly lenience?: Lenience | undefined;
}

/** Reads just those properties of a list, each under its OData name. */
export function collectionQuery(options: CollectionQueryOptions): MeshQuery<Rows> {
  return byShape(options, listPathIn, (shaped) => {
    const query = listQuery(shaped);
    const { decoder } = query;
    return { ...query, decoder: withSigns(decoder, signReader(shaped.operation, shaped.entityType)) };
  });
}

/** The number of shapes that the answers of one operation may have. More are read as the first ones are. */
const MOST_SHAPES = 8;

/** The query; if the document does not say how an answer is nested, each answer is read by its own shape. */
function byShape<Options extends EntityQueryOptions, Data>(
  options: Options,
  pathIn: (answer: unknown) => AnswerPath,
  build: (options: Options) => MeshQuery<Data>,
): MeshQuery<Data> {
  const plain = build(options);
  if (options.operation.isOfUnknownShape !== true) return plain;
  const { decoder } = plain;
  const known = new Map([['', decoder]]);
  const decoderFor = (answer: unknown) => {
    const path = pathIn(answer);
    const shape = path.map((name) => JSON.stringify(name)).join();
    const found = known.get(shape);
    if (found !== undefined || known.size >= MOST_SHAPES) return found ?? decoder;
    const shaped = build({ ...options, operation: { ...options.operation, wrappedIn: path } });
    known.set(shape, shaped.decoder);
    return shaped.decoder;
  };
  const { readOnce: _, readInParts: __, ...others } = decoder;
  return { ...plain, decoder: { ...others, read: (answer) => decoderFor(answer).read(answer) } };
}

interface CollectionQueryOptions extends EntityQueryOptions {
  readonly operation: ListOperation;
}

function listQuery(options: CollectionQueryOptions): MeshQuery<Rows> {
  const { wrappedIn } = options.operation;
  const flat = flatOf(options);
  const { key, structuralProperties } = options.entityType;
  const keyed = key.flatMap((name) => structuralProperties.get(name) ?? []);
  const paths = keyed.filter(({ argument }) => argument !== true).map(upstreamPath);
  const anyList = listReader({ ...options.operation, key: paths }, options.lenience);
  const requireList =
    options.operation.isList === true ? listOfOneReader(anyList, options.lenience) : anyList;
  const readRow = flat?.read ?? entityReader(options, 'complete');
  const readItems = items(readRow);
  const watch = keyWatch(options);
  const readList = (list: unknown, trail: JsonPathTracker): Rows => {
    const rows = readItems(requireList(list, trail), trail);
    const note = watch?.();
    if (note !== undefined) for (const row of rows) note(row);
    return rows;
  };
  const query = queryOf(options.field, flat, listDirectly(readList, wrappedIn));
  const passingOnce = passingRows(readRow, wrappedIn, requireList);
  const passing = (source: unknown, late: LazyReading): Rows => {
    const rows = passingOnce(source, late);
    return watch === undefined ? rows : watchedRows(rows, watch);
  };
  const readOnce = (source: unknown, late: LazyReading): DecodedData<Rows> => ({
    data: passing(source, late),
    signs: undefined,
  });
  function* readInParts(source: unknown): Work<DecodedData<Rows>> {
    const rows = yield* rowsAtOnce(passing(source, AT_ONCE), everyFew(ROWS_AT_ONCE));
    return { data: rows, signs: undefined };
  }
  return { ...query, decoder: { ...query.decoder, readOnce, readInParts } };
}

/** Rows of one answer whose keys are compared: where several entities have one key, that is seen among these. */
const WATCHED = 10_000;

/** Takes note of each entity of one answer that has the key of another one of them. */
type KeyWatch = () => (row: Row) => void;

/** Undefined where the key is not read, or where it is an error of the upstream's that is seen elsewhere. */
function keyWatch({ entityType, properties, lenience }: CollectionQueryOptions): KeyWatch | undefined {
  const { key, structuralProperties } = entityType;
  const parts = key.flatMap((name) => structuralProperties.get(name) ?? []);
  const own = parts.filter(({ argument }) => argument !== true);
  const isRead = own.length > 0 && own.every(({ name }) => properties.includes(name));
  if (lenience === undefined || !isRead) return undefined;
  const names = own.map(({ name }) => name);
  const [first = '', ...others] = names;
  const place = `${own.map((part) => propertyLabel(entityType, part)).join(', ')} as key`;
  const keyOf = (row: Row): unknown =>
    others.length === 0 ? row[first] : names.map((name) => JSON.stringify(String(row[name]))).join();
  return () => {
    const known = new Set<unknown>();
    let left = WATCHED;
    return (row) => {
      if (left === 0) return;
      left -= 1;
      const value = keyOf(row);
      if (value === null || value === undefined) return;
      if (known.has(value)) lenience(place, 'a key that no other item has', value);
      else known.add(value);
    };
  };
}

function watchedRows(rows: Rows, watch: KeyWatch): Rows {
  return {
    length: rows.length,
    *[Symbol.iterator]() {
      const note = watch();
      for (const row of rows) {
        note(row);
        yield row;
      }
    },
  };
}

/** Rows decoded between two yields. */
const ROWS_AT_ONCE = 128;

/** For callers that read all rows at once, errors are thrown directly. */
const AT_ONCE: LazyReading = { again: () => undefined, report: () => undefined };

/** Reads what has changed in a list, the keys of what is gone, and the token of the present state. */
export function changesQuery(options: ChangesQueryOptions): MeshQuery<Changes> {
  const { operation: called } = options;
  const changed = directly(items(entityReader(options, 'complete')), called.wrappedIn);
  const key = keyReader(options.entityType);
  const removed = called.removed === undefined ? () => [] : directly(items(key), [called.removed]);
  const next = directly(untyped, [called.next]);
  return directQuery(options.field, (source) => {
    const token = next(source);
    if (token === null || typeof token === 'object')
      throw badResponse('expected the token of the next changes');
    return { changed: changed(source), removed: removed(source), next: String(token) };
  });
}

interface ChangesQueryOptions extends EntityQueryOptions {
  readonly operation: ChangesOperation;
}

/** Reads just those properties of one entity. */
export function entityQuery(options: EntityQueryOptions): MeshQuery<Row> {
  return ofOne(byShape(options, entityPathIn, untaggedQuery), options.operation);
}

/** A read by key may find no entity, wherever the key is in the request. */
function ofOne<Data>(query: MeshQuery<Data>, { parameters }: Operation): MeshQuery<Data> {
  return { ...query, tagged: true, decoder: { ...query.decoder, isOfOne: parameters.length > 0 } };
}

/** Reads the list in which an entity comes that is asked for by its key. */
export function listOfOneQuery(options: CollectionQueryOptions): MeshQuery<Rows> {
  const { wrappedIn, envelope } = options.operation;
  const { decoder, ...query } = listQuery(options);
  const read = (source: unknown) => {
    if (!Array.isArray(valueAt(source, wrappedIn ?? []))) assertListEnvelope(source, envelope);
    return decoder.read(source);
  };
  return ofOne(
    { ...query, decoder: { ...decoder, read, readOnce: undefined, readInParts: undefined } },
    options.operation,
  );
}

function untaggedQuery(options: EntityQueryOptions): MeshQuery<Row> {
  const { wrappedIn } = options.operation;
  const flat = flatOf(options);
  const readRow = flat?.read ?? entityReader(options, 'complete');
  const read = singleReader(readRow, options.entityType.name, options.lenience);
  return queryOf(options.field, flat, directly(read, wrappedIn));
}

/**
 * Reads the entity that a write is answered with: what its answer leaves out is null. `mayBeOther`: what is no object is
 * no entity.
 */
export function writtenEntityQuery(
  options: EntityQueryOptions & { readonly mayBeOther: boolean },
): MeshQuery<Row | undefined> {
  const { mayBeOther } = options;
  const readRow = entityReader(options, 'partial');
  const single = singleReader(readRow, options.entityType.name, options.lenience);
  const isList = options.operation.isList === true;
  const read = directly<Row>(
    (found, trail) => single(isList && Array.isArray(found) && found.length === 1 ? found[0] : found, trail),
    options.operation.wrappedIn,
  );
  const query = directQuery(options.field, (source) =>
    source === null || (mayBeOther && !isObject(source)) ? undefined : read(source),
  );
  return { ...query, tagged: true };
}

interface Result {
  readonly kind?: CallableCall['kind'];
  readonly returns: TypeUse | undefined;
  readonly embedded?: readonly string[];
  readonly wrappedIn: AnswerPath | undefined;
  readonly paging?: Paging | undefined;
  readonly envelope?: readonly string[] | undefined;
}

/** Whether what a call returns is a list, which may come in pages. */
export function returnsList({ kind, returns }: Pick<Result, 'kind' | 'returns'>): boolean {
  return kind === 'function' && returns?.collection === true;
}

const STRUCTURED: ReadonlySet<string> = new Set(['entity', 'complex']);

/** Reads the result of a function or an action, or nothing where it has none. */
export function resultQuery(
  field: OperationField,
  asked: Result = NO_RESULT,
  lenience?: Lenience,
): MeshQuery<Value> {
  const { returns, embedded, wrappedIn, paging, envelope } = asked;
  if (returns === undefined) {
    const query = directQuery<Value>(field, () => null);
    return { ...query, decoder: { ...query.decoder, isIgnored: true } };
  }
  const isRead = field.kind === 'query';
  const json = jsonType(field.field.type);
  const readers = new StructuralReaders(isRead ? 'complete' : 'partial', lenience);
  const use = { ...returns, upstreamTypes: json === undefined ? [] : [json] };
  const readResult = readers.use(use, field.field.name, embedded);
  const isOneObject = !returns.collection && STRUCTURED.has(returns.type.kind);
  const result = isOneObject ? singleReader(readResult, field.field.name, lenience) : readResult;
  const isDue = isRead && lenience === undefined && (returns.collection || !returns.nullable);
  const read = directly(result, wrappedIn);
  const query = directQuery<Value>(field, (source) => {
    if (source !== null) return read(source);
    if (isDue) throw badResponse('expected a value');
    return result(null, new JsonPathTracker());
  });
  if (!returnsList(asked)) return query;
  const signsIn = signReader(
    { wrappedIn, paging, envelope },
    returns.type.kind === 'entity' ? returns.type : undefined,
  );
  return { ...query, decoder: withSigns(query.decoder, signsIn) };
}

/** Reads besides what an answer says of the pages of a list. */
function withSigns<Data>(
  decoder: MeshQuery<Data>['decoder'],
  signsIn: SignReader,
): MeshQuery<Data>['decoder'] {
  const { readOnce, readInParts } = decoder;
  return {
    ...decoder,
    read: (source) => ({ ...decoder.read(source), signs: signsIn(source) }),
    readOnce: readOnce && ((source, late) => ({ ...readOnce(source, late), signs: signsIn(source) })),
    readInParts:
      readInParts &&
      function* (source) {
        return { ...(yield* readInParts(source)), signs: signsIn(source) };
      },
  };
}

/** Hands on what an operation that is about a stream is answered with. */
export function streamQuery(field: OperationField): MeshQuery<StreamSnapshot> {
  return directQuery(field, (source) => source as StreamSnapshot);
}

const NO_RESULT: Result = { returns: undefined, wrappedIn: undefined };

function flatOf({ entityType, properties, dynamic, lenience }: EntityQueryOptions): FlatReading | undefined {
  if (dynamic === true || withDerivedTypes(entityType).length > 1) return undefined;
  return flatReading({ entityType, properties, lenience });
}

const FLAT_ROW_WEIGHT = 40;
const FLAT_VALUE_WEIGHT = 16;
/** Values within values are rows of their own. */
const DIRECT_ROW_WEIGHT = 1_024;

/** A query of rows, which are flat where there is a reading for that. */
function queryOf<Data extends Row | Rows>(
  field: OperationField,
  flat: FlatReading | undefined,
  read: (source: unknown) => Data,
): MeshQuery<Data> {
  if (flat === undefined) return directQuery(field, read);
  const { width, exact } = flat;
  const ofRow = FLAT_ROW_WEIGHT + width * FLAT_VALUE_WEIGHT;
  return {
    document: fieldDocument(field),
    field,
    decoder: {
      exact,
      read: (source) => ({ data: read(source), signs: undefined }),
      weigh: ({ data }) => ofRow * (Array.isArray(data) ? data.length : 1),
    },
  };
}

function directQuery<Data>(field: OperationField, read: (source: unknown) => Data): MeshQuery<Data> {
  return {
    document: fieldDocument(field),
    field,
    decoder: {
      exact: true,
      read: (source) => ({ data: read(source), signs: undefined }),
      weigh: ({ data }) => DIRECT_ROW_WEIGHT * (Array.isArray(data) ? data.length + 1 : 1),
    },
  };
}

function entityReader(options: EntityQueryOptions, completeness: 'complete' | 'partial'): ObjectReader {
  const { entityType, properties, dynamic = false } = options;
  for (const name of properties) assertProperty(options, name);
  return new StructuralReaders(completeness, options.lenience).entity(entityType, {
    properties,
    dynamic,
  });
}

function assertProperty({ entityType }: EntityQueryOptions, name: string): void {
  const isKnown = withDerivedTypes(entityType).some(
    (type) =>
      type.structuralProperties.has(name) || type.navigationProperties.get(name)?.origin.kind === 'embedded',
  );
  if (!isKnown) throw mismatch(`no property "${name}" in ${entityType.name}`);
}

/** A reader for rows with single primitive or untyped values. */
interface FlatReading {
  readonly width: number;
  /** Numbers are read with all their digits. */
  readonly exact: boolean;
  readonly read: RowReader;
}

interface FlatOptions {
  readonly entityType: EntityType;
  readonly properties: readonly string[];
  /** Undefined where values that are not as they should be are an error. */
  readonly lenience: Lenience | undefined;
}

/** Undefined where a value is an object, a list, or a decimal, whose digits no number holds. */
function flatReading(options: FlatOptions): FlatReading | undefined {
  const columns = columnsOf(options);
  if (columns === undefined) return undefined;
  return {
    width: columns.reduce((width, { type }) => width + (isUntyped(type) ? UNTYPED_WIDTH : 1), 0),
    exact: columns.some(({ type }) => isUntyped(type)),
    read: compileRowReader(columns),
  };
}

/** Columns that one of values which may be objects weighs as much as. */
const UNTYPED_WIDTH = 16;

function isUntyped(type: RowColumn['type']): boolean {
  return type === 'Edm.Untyped';
}

function columnsOf(options: FlatOptions): readonly RowColumn[] | undefined {
  const columns = options.properties.map((name) => columnOf(options, name));
  return columns.every((column) => column !== undefined) ? columns : undefined;
}

/** The type of a property whose values stand in a row by themselves. */
function flatType(property: StructuralProperty): RowColumn['type'] | undefined {
  if (property.reference !== undefined) return undefined;
  if (property.aliasOf !== undefined) return comparableType({ ...property, aliasOf: undefined });
  const isUntypedValue = property.type.name === 'Edm.Untyped' && !property.collection && isReadable(property);
  return isUntypedValue ? 'Edm.Untyped' : comparableType(property);
}

function columnOf({ entityType, lenience: note }: FlatOptions, name: string): RowColumn | undefined {
  const property = entityType.structuralProperties.get(name);
  const type = property && flatType(property);
  if (property === undefined || type === undefined || type === 'Edm.Decimal') return undefined;
  // A key is as it should be, or there is no telling which entity it is.
  const isKey = entityType.key.includes(name);
  const mayBeNull = property.nullable || property.sometimesNull === true;
  return {
    name,
    upstreamName: property.upstreamName,
    within: property.within ?? [],
    type,
    leaf: type === 'Edm.Untyped' ? undefined : jsonLeaf(type, property, note === undefined),
    isRequired: property.required === true && !mayBeNull,
    lenient: note === undefined || isKey ? undefined : { place: propertyLabel(entityType, property), note },
  };
}
