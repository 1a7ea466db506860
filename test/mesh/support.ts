import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { EntitySource, Snapshot } from '../../src/contract/entity-source.ts';
import type { CallContext } from '../../src/contract/exchange.ts';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import type { Log } from '../../src/contract/log.ts';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { arrayOf, type Row } from '../../src/contract/row.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import type { GatewayMesh, MeshOptions } from '../../src/mesh/mesh.ts';
import { executeField, fieldDocument } from '../../src/mesh/operation-field.ts';
import type { EntitySet } from '../../src/model/edm.ts';
import type { Model } from '../../src/model/model.ts';
import { createEntitySource } from '../../src/source/entity-source.ts';
import type { ProjectSource } from '../../src/sources/project-source.ts';
import type { FieldCall } from '../../src/upstream/calls/mesh-context.ts';
import type { WireObject } from '../../src/upstream/sending/call-arguments.ts';
import { insertOf, listOf, readOf } from '../support/model.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createGatewayMesh } from './gateway-mesh.ts';

export const PROPERTIES = ['UserId', 'Id', 'Title', 'Body'];

export const POSTS_DOCUMENT = fileURLToPath(new URL('../../openapi/posts.yaml', import.meta.url));

const POSTS_MODEL: Model = modelFromOpenApi([
  { name: 'Posts', document: parse(readFileSync(POSTS_DOCUMENT, 'utf8')) },
]).model;

/** The entity set of the posts service. */
export const POSTS: EntitySet = entitySetNamed('Post');

function entitySetNamed(name: string): EntitySet {
  const set = POSTS_MODEL.entitySets.get(name);
  if (set === undefined) throw new Error(`There is no entity set ${name}`);
  return set;
}

/** A post as the upstream has it. */
export function post(id: number, change: object = {}): Record<string, unknown> {
  return { userId: 1, id, title: `Title ${id}`, body: `Body ${id}`, ...change };
}

/** The same as a row. */
export function row(id: number): Row {
  return { UserId: 1, Id: String(id), Title: `Title ${id}`, Body: `Body ${id}` };
}

export function callContext(signal: AbortSignal = new AbortController().signal, query?: object): CallContext {
  return { id: 'call-1', principal: UNRESTRICTED, signal, query };
}

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export function recordingLog(lines: LogLine[]): Log {
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The gateway's side and the upstream's side of a test. */
export interface Scene {
  readonly upstream: StandInUpstream;
  readonly mesh: GatewayMesh;
  readonly source: EntitySource;
  readonly log: readonly LogLine[];
  /** All rows of the list, made. */
  list(signal?: AbortSignal, query?: object): Promise<Snapshot<readonly Row[]>>;
  byKey(key: string, signal?: AbortSignal): ReturnType<EntitySource['readEntity']>;
  insert(body: string | Uint8Array, signal?: AbortSignal): ReturnType<EntitySource['insert']>;
}

export const HEADERS = { 'x-application-name': 'app', 'x-gateway-api-name': 'api' };

/** The documents of sources, parsed. */
export function readDocuments(sources: readonly ProjectSource[]): ReadonlyMap<string, unknown> {
  return new Map(sources.map(({ name, document }) => [name, parse(readFileSync(document, 'utf8'))]));
}

/** Opens a mesh over a stand-in upstream; both are closed with the test. */
export async function openScene(
  behaviour: Behaviour,
  options: Partial<Pick<MeshOptions, 'limits' | 'memorySize'>> = {},
): Promise<Scene> {
  const upstream = await startStandInUpstream(behaviour);
  const log: LogLine[] = [];
  const sources = [
    { name: 'Posts', document: POSTS_DOCUMENT, endpoint: upstream.url, operationHeaders: HEADERS },
  ];
  const mesh = await createGatewayMesh({
    project: { directory: '/', sources },
    documents: readDocuments(sources),
    log: recordingLog(log),
    ...options,
  });
  onTestFinished(async () => {
    await mesh.destroy();
    await upstream.close();
  });
  const source = createEntitySource({ mesh, model: POSTS_MODEL });
  return {
    upstream,
    mesh,
    source,
    log,
    async list(signal, query) {
      const call = callContext(signal, query);
      const { data, ...more } = await source.readCollection(listOf(POSTS, PROPERTIES), call);
      return { ...more, data: arrayOf(data) };
    },
    byKey: (key, signal) => source.readEntity(readOf(POSTS, PROPERTIES, key), callContext(signal)),
    insert: (body, signal) => source.insert(insertOf(POSTS, PROPERTIES, body), callContext(signal)),
  };
}

/** Calls the operation that has no model, with arguments as they are sent; gives the data. */
export async function callOperation(mesh: GatewayMesh, id: string, args: WireObject = {}): Promise<unknown> {
  const field = mesh.fieldOf({ id, parameters: [] });
  const fieldCall: FieldCall = {
    arguments: args,
    body: undefined,
    takesInput: false,
    mayBeEmpty: false,
    decoder: { exact: false, read: (data) => data, weigh: () => 0 },
    loaded: undefined,
    failure: undefined,
  };
  await executeField(field, fieldDocument(field), args, { call: callContext(), fieldCall });
  if (fieldCall.failure !== undefined) throw fieldCall.failure;
  return fieldCall.loaded?.decoded;
}

/** The GatewayError that a promise rejects with; anything else fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('expected a GatewayError');
}
