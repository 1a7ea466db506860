import type { GraphQLSchema } from 'graphql';
import type { EntityInsert, Snapshot } from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import { PARTIAL, type Row, TAG, type Value } from '../contract/row.ts';
import type { EntityType, TypeUse } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import type { Operation } from '../model/operation.ts';
import { isComparable, isNumeric, type PrimitiveTypeName } from '../model/type-use.ts';
import { FIELD_CALL, type FieldCall, type ReceivedAnswer } from './calls/mesh-context.ts';
import { digestOf } from './exchange/upstream-exchange.ts';
import { badResponse } from './exchange/upstream-failure.ts';
import { operationField, pathTemplate } from './fields/http-field.ts';
import type { GatewayMesh } from './mesh.ts';
import type { DecodedData, MeshQuery } from './mesh-query.ts';
import type { BodySigns } from './paging/page-signs.ts';
import { conversionTo } from './reading/value-reader.ts';
import type { CallArguments } from './sending/call-arguments.ts';

/** What was made of an answer. */
export interface MeshSnapshot<Data> extends Snapshot<Data> {
  /** What the body says of the pages of a list, where the query reads one. */
  readonly signs: BodySigns | undefined;
  /** The target of the request, and what was received; undefined where there is no body. */
  readonly sent: string;
  readonly received: ReceivedAnswer | undefined;
  /** The upstream's entity tag of what was received. */
  readonly etag?: string | undefined;
  /** The URL of what a write has created. */
  readonly location?: string | undefined;
  /** Stands for the bytes that were received, where the query is about one entity and the upstream has no tag. */
  readonly digest?: string | undefined;
}

/** What one execution sends. */
export interface MeshCall
  extends CallArguments,
    Pick<
      FieldCall,
      'body' | 'target' | 'mediaType' | 'stream' | 'conditions' | 'takesInput' | 'mayBeEmpty'
    > {}

/**
 * Executes the query on the mesh and reads what comes of it. Where the upstream's data has not changed, it is
 * what was made of it before. A query that never comes to its field is a fault of the gateway's: its errors are the
 * cause of what is thrown.
 */
export async function execute<Data>(
  mesh: GatewayMesh,
  query: MeshQuery<Data>,
  { variables, written, ...sent }: MeshCall,
  call: CallContext,
): Promise<MeshSnapshot<Data>> {
  const fieldCall: FieldCall = {
    arguments: written,
    ...sent,
    making: query.making,
    loaded: undefined,
    failure: undefined,
  };
  const { errors = [] } = await mesh.execute(query.document, variables, { call, [FIELD_CALL]: fieldCall });
  const { failure, loaded } = fieldCall;
  if (failure !== undefined) throw failure;
  if (loaded === undefined) throw unexecuted(query, errors);
  const { data, signs } = loaded.made as DecodedData<Data>;
  const { state, received } = loaded;
  const snapshot = { data, version: state?.version, signs, sent: fieldCall.sent ?? '', received };
  return query.tagged === true ? taggedSnapshot(snapshot, loaded.received) : snapshot;
}

function unexecuted({ operation: { field } }: MeshQuery<unknown>, errors: readonly Error[]): Error {
  const said = errors.map(({ message }) => message).join(' ');
  const message = `The mesh did not execute ${field.name}: ${said === '' ? 'it says no error.' : said}`;
  return new Error(message, { cause: new AggregateError(errors) });
}

/** What is remembered may have come under another tag since. */
function taggedSnapshot<Data>(
  snapshot: MeshSnapshot<Data>,
  received: ReceivedAnswer | undefined,
): MeshSnapshot<Data> {
  if (received === undefined) return snapshot;
  const { etag, location } = received;
  return { ...snapshot, etag, location, digest: etag === undefined ? digestOf(received) : undefined };
}

interface Insertion extends Omit<EntityPlaces, 'operations'>, Pick<EntityInsert, 'properties' | 'places'> {
  /** Of bytes that are forwarded as they are, nobody but the upstream can say what they have become. */
  readonly isForwarded: boolean;
}

/** What an answer says of a new entity: where it lacks the key, the URL in Location may have it. */
export function createdRow(insertion: Insertion, answered: MeshSnapshot<Row | undefined>): Row | undefined {
  const { data, etag, location } = answered;
  const { entityType, properties, isForwarded, places: operations = [] } = insertion;
  const key = entityType.key.filter((name) => properties.includes(name));
  const isWhole = data !== undefined && key.every((name) => data[name] !== null);
  const found =
    isWhole || location === undefined ? {} : propertiesInLocation({ ...insertion, operations }, location);
  if (Object.keys(found).length > 0) return { ...found, ...saidOf(data), [PARTIAL]: true };
  if (data === undefined && isForwarded) throw badResponse('expected what was created, found nothing');
  return data && (etag === undefined ? data : { ...data, [TAG]: etag });
}

function saidOf(row: Row = {}): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** Which entities a URL may be of, and the operations at the URLs of single ones. */
interface EntityPlaces {
  readonly schema: GraphQLSchema;
  readonly model: Model;
  readonly entityType: EntityType;
  readonly operations: readonly Operation[];
}

/**
 * What the URL of an entity (RFC 9110, 10.2.2) says of it: absolute or relative, under whatever path the upstream
 * is reached. Nothing where it is the URL of something else.
 */
function propertiesInLocation(places: EntityPlaces, location: string): Row {
  for (const operation of places.operations) {
    const found = propertiesByTemplate(places, operation, location.replace(/[?#].*$/, ''));
    if (found !== undefined) return found;
  }
  return {};
}

function propertiesByTemplate(
  { schema, entityType }: EntityPlaces,
  operation: Operation,
  path: string,
): Row | undefined {
  const texts = argumentsInPath(pathTemplate(schema, operationField(schema, operation).field), path);
  if (texts === undefined) return undefined;
  const own = operation.parameters.filter(({ up = 0 }) => up === 0);
  const values = own.map(({ name, property }): readonly [string, Value | undefined] => {
    const use = entityType.structuralProperties.get(property);
    const text = texts.get(name);
    return [property, use === undefined || text === undefined ? undefined : valueOfText(use, text)];
  });
  const known = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return known.length === values.length ? Object.fromEntries(known) : undefined;
}

/** An argument in the template of a path, as Mesh writes it. */
const ARGUMENT = /\{args\.([^}:|]+)[^}]*\}/g;

/** What stands for the template's arguments in a path that ends like it. */
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
