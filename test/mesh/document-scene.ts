import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Arguments, EntitySource, Snapshot } from '../../src/contract/entity-source.ts';
import type { Value } from '../../src/contract/row.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import type { GatewayMesh } from '../../src/mesh/mesh.ts';
import type { Callable, EntitySet } from '../../src/model/edm.ts';
import type { Model } from '../../src/model/model.ts';
import { createEntitySource } from '../../src/source/entity-source.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createGatewayMesh } from './gateway-mesh.ts';
import { callContext, type LogLine, recordingLog } from './support.ts';

/** A document, the model that is derived of it, and the mesh that serves it. */
export interface DocumentScene {
  readonly upstream: StandInUpstream;
  readonly mesh: GatewayMesh;
  readonly model: Model;
  readonly source: EntitySource;
  readonly log: readonly LogLine[];
  set(name: string): EntitySet;
  /** Calls the function or action of that name; arguments by their names in the model. */
  call(name: string, given?: Arguments): Promise<Snapshot<Value>>;
}

const HEADERS = { 'x-key': 'k' };

/** Paths and schemas are YAML. */
export async function openDocument(
  paths: string,
  schemas: string,
  behaviour: Behaviour,
): Promise<DocumentScene> {
  const upstream = await startStandInUpstream(behaviour);
  const document = {
    openapi: '3.1.0',
    'x-odata': { strict: true },
    info: { title: 'Api', version: '1' },
    paths: parse(paths) ?? {},
    components: { schemas: parse(schemas) ?? {} },
  };
  const log: LogLine[] = [];
  const { model } = modelFromOpenApi([{ name: 'Api', document }]);
  const sources = [{ name: 'Api', document: '', endpoint: upstream.url, operationHeaders: HEADERS }];
  const mesh = await createGatewayMesh({
    project: { directory: '/', sources },
    documents: new Map([['Api', document]]),
    log: recordingLog(log),
  });
  onTestFinished(async () => {
    await mesh.destroy();
    await upstream.close();
  });
  const source = createEntitySource({ mesh, model });
  const callable = (name: string) =>
    found(
      name,
      model.callables.find((each) => each.name === name),
    );
  return {
    upstream,
    mesh,
    model,
    source,
    log,
    set: (name) => found(name, model.entitySets.get(name)),
    call: async (name, given = {}) => callOf(source, callable(name), given),
  };
}

async function callOf(source: EntitySource, callable: Callable, given: Arguments): Promise<Snapshot<Value>> {
  const { kind, name, parameters, returns, wrappedIn, calls } = callable;
  const inBody = parameters.filter((parameter) => parameter.in === 'body');
  const valuesOf = (wanted: Callable['parameters']): Arguments =>
    Object.fromEntries(
      wanted
        .filter((parameter) => given[parameter.name] !== undefined)
        .map((parameter) => [parameter.upstreamName, given[parameter.name] ?? null]),
    );
  const call = {
    resource: name,
    kind,
    operation: found(name, calls[0]?.operation),
    arguments: valuesOf(parameters.filter((parameter) => parameter.in !== 'body')),
    body: inBody.length === 0 ? undefined : valuesOf(inBody),
    returns,
    wrappedIn,
  };
  return source.call(call, callContext());
}

function found<Part>(name: string, part: Part | undefined): Part {
  if (part === undefined) throw new Error(`The model has no ${name}`);
  return part;
}

/** The requests that the upstream received, without connection headers. */
export function requestsOf({ upstream }: DocumentScene): readonly string[] {
  return upstream.requests.map(({ method, target, headers, body }) => {
    const type = headers['content-type'];
    return [`${method} ${target}`, ...(type === undefined ? [] : [type, body.toString()])].join(' | ');
  });
}

export function answer(schema: string): string {
  return `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
}
