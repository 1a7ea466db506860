import type { GraphQLField, GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Log } from '../../contract/log.ts';
import type { MeshContext } from '../../upstream/calls/mesh-context.ts';
import type { UpstreamData } from '../../upstream/calls/upstream-data.ts';
import { withQuery } from '../../upstream/client/upstream-client.ts';
import { logFailure } from '../../upstream/exchange/upstream-failure.ts';
import { type HttpField, readHttpField } from '../../upstream/fields/http-field.ts';
import {
  markArguments,
  pathText,
  unmarkedPath,
  type WireObject,
  withoutMarks,
} from '../../upstream/sending/call-arguments.ts';

/** Where `info` carries the call of one root field through Mesh to {@link meshFetch} and back. */
const CALL: unique symbol = Symbol('duogate.call');

interface RootFieldCall extends MeshContext {
  readonly field: HttpField;
  readonly target: FieldTarget;
  readonly report: (error: unknown) => void;
}

interface CarryingInfo extends GraphQLResolveInfo {
  readonly [CALL]?: RootFieldCall;
}

/**
 * All that Mesh's resolver is told of the context, whose members its templates could name: nothing of the
 * request and of who sends it. With a `fetch` in it, calls do not pass Mesh's hooks around its own, of which there
 * are none.
 */
interface HandedContext {
  readonly fetch: typeof meshFetch;
}

const HANDED: HandedContext = { fetch: meshFetch };

export interface RootFieldOptions {
  readonly source: string;
  readonly targetOf: (field: string) => FieldTarget;
  readonly log: Log;
}

/** The server that a field calls. */
export interface FieldTarget {
  /** The URL that the paths of its calls stand below. */
  readonly url: string;
  /** The URL that Mesh puts before them. */
  readonly endpoint: string;
  readonly data: UpstreamData;
  /** Added to the query of each call; percent-encoded, empty for none. */
  readonly query: string;
  /** The names of the query parameters that the source itself gives, or that its credentials are sent in. */
  readonly ownParameters: ReadonlySet<string>;
}

/**
 * Wraps the resolver of every root field of a source that makes an HTTP call.
 *
 * Mesh still makes the request of the field and its arguments, of each or once for a template, but what is sent, and
 * what becomes of the answer, is decided here: Mesh would put arguments into the path as they are, follow redirects,
 * turn wrong types into right ones, and add eight accessors to each item of a list.
 */
export function wrapRootFields(schema: GraphQLSchema, options: RootFieldOptions): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (type) wrapRootField(schema, type, field, options);
    }
  }
  return schema;
}

function wrapRootField(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  { source, targetOf, log }: RootFieldOptions,
): void {
  const target = targetOf(field.name);
  const httpField = readHttpField(schema, source, type, field);
  const { resolve } = field;
  if (httpField === undefined || resolve === undefined) return;
  const send = senderOf(httpField, resolve as MeshResolver);
  field.resolve = async (_, __, context, info) => {
    const { call, fieldCall } = context as MeshContext;
    const report = (error: unknown) => logFailure(log, httpField.name, call, error);
    try {
      await send({ field: httpField, call, fieldCall, target, report }, info);
    } catch (error) {
      fieldCall.failure = error as Error;
      report(error);
    }
    // Whoever calls has what came of it; there is nothing more to execute.
    return null;
  };
}

type Send = (call: RootFieldCall, info: GraphQLResolveInfo) => Promise<void>;

/** Sends the request that Mesh makes of the arguments: of a read by nothing but its path, it has made it once for all. */
function senderOf(field: HttpField, resolve: MeshResolver): Send {
  let template: RequestTemplate | 'none' | undefined;
  return async (call, info) => {
    const { arguments: written } = call.fieldCall;
    if (isReadByPath(call)) {
      template ??= (await requestTemplate(field, resolve, info)) ?? 'none';
      if (template !== 'none') return load(call, template.pathWith(written), template.headers);
    }
    const carrying: CarryingInfo = { ...info, [CALL]: call };
    await resolve(undefined, markArguments(field, written), HANDED, carrying);
    if (call.fieldCall.loaded === undefined) throw new Error(`Mesh answered ${field.name} without a call`);
  };
}

/** Whether it is a read that hangs on nothing but the values in its path. */
function isReadByPath({ field, fieldCall }: RootFieldCall): boolean {
  const { method, pathArguments, headerArguments } = field;
  if (method !== 'GET' || headerArguments.length > 0) return false;
  return Object.keys(fieldCall.arguments).every((name) => pathArguments.includes(name));
}

/** The `fetch` that Mesh is given. */
export async function meshFetch(
  url: string,
  request: MeshRequest,
  _context: HandedContext,
  info: CarryingInfo,
): Promise<MeshResponse> {
  const call = info?.[CALL];
  // Nothing is read from the network but the upstream's data.
  if (call === undefined) throw new Error('Only root fields call an upstream');
  await load(call, pathOf(url), headersOf(call.field, request.headers ?? {}));
  return PLACEHOLDER;
}

/** Sends the call's request: what Mesh has made of its line and its header, with the caller's body. */
async function load(
  { field, call, fieldCall, target, report }: RootFieldCall,
  madePath: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const path = withQuery(fieldCall.target ?? placed(madePath, target), target.query);
  fieldCall.sent = path;
  const { body, decoder, mediaType, stream, conditions, takesInput, mayBeEmpty } = fieldCall;
  const sent = { body, decoder, mediaType, stream, conditions, takesInput, mayBeEmpty };
  fieldCall.loaded = await target.data.load({ field, path, headers, report, ...sent }, call);
}

/** The path below the URL of the field's own server. */
function placed(madePath: string, { url, endpoint }: FieldTarget): string {
  if (url === endpoint) return madePath;
  const [own, made] = [url, endpoint].map((each) => new URL(each).pathname.replace(/\/$/, ''));
  return `${own}${madePath.slice(made?.length)}`;
}

/**
 * Mesh has joined the endpoint and the path; what follows the host is sent as it stands. Documents tell
 * operations of one path apart by fragments, which are not sent (RFC 9110, section 7.1). Values are percent-encoded
 * already; the document's own texts may not be.
 */
function pathOf(url: string): string {
  const path = unmarkedPath(url.slice(url.indexOf('/', url.indexOf('://') + 3)).replace(/#[^?]*/, ''));
  return path.replace(/[^\x21-\x7e]+/g, (signs) => encodeURIComponent(signs.toWellFormed()));
}

function headersOf(
  { headerArguments }: HttpField,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (headerArguments.length === 0) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, withoutMarks(String(value))]),
  );
}

/** What Mesh tells of the request that it has made. */
interface MeshRequest {
  readonly headers?: Readonly<Record<string, string>>;
}

/** What Mesh reads of a response. */
interface MeshResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Headers;
  text(): Promise<string>;
}

/** A response for Mesh to read nothing from: a number is the one text that Mesh neither wraps nor decorates. */
const PLACEHOLDER: MeshResponse = {
  status: 200,
  statusText: 'OK',
  ok: true,
  headers: new Headers(),
  text: async () => '0',
};

/** The resolver that Mesh has made of a root field. It calls the `fetch` of the context. */
type MeshResolver = (
  root: unknown,
  args: Record<string, unknown>,
  context: { readonly fetch: unknown },
  info: GraphQLResolveInfo,
) => unknown;

type MeshFetch = (url: string, request: MeshRequest) => Promise<MeshResponse>;

/** The request that Mesh makes of a field whenever it is given the arguments of its path and no others. */
interface RequestTemplate {
  readonly headers: Readonly<Record<string, string>>;
  pathWith(args: Readonly<Record<string, unknown>>): string;
}

/**
 * Has Mesh make the request of a field for values that can be told from all else in it, and takes it for a template:
 * making each request anew, Mesh would parse the same texts of the document again to the same end.
 *
 * Undefined where the values do not come out of it as they went in, each of them once: Mesh must be asked each time.
 */
async function requestTemplate(
  field: HttpField,
  resolve: MeshResolver,
  info: GraphQLResolveInfo,
): Promise<RequestTemplate | undefined> {
  const names = field.pathArguments;
  const args: WireObject = Object.fromEntries(names.map((name, index) => [name, stand(index)]));
  let template: RequestTemplate | undefined;
  const fetch: MeshFetch = async (url, { headers = {} }) => {
    template = templateOf(pathOf(url), names, headers);
    return PLACEHOLDER;
  };
  try {
    await resolve(undefined, markArguments(field, args), { fetch }, info);
  } catch {
    return undefined;
  }
  return template;
}

/** Stands for the value of an argument: a text that is the same when it is percent-encoded. */
function stand(index: number): string {
  return `duogate-value-${index}-`;
}

const STANDS = /duogate-value-(\d+)-/;

function templateOf(
  path: string,
  names: readonly string[],
  headers: RequestTemplate['headers'],
): RequestTemplate | undefined {
  const pieces = path.split(STANDS);
  const places = pieces.filter((_, index) => index % 2 === 1).map(Number);
  const isEachOnce = places.length === names.length && names.every((_, index) => places.includes(index));
  if (!isEachOnce) return undefined;
  const [first = '', ...literals] = pieces.filter((_, index) => index % 2 === 0);
  const parts = literals.map((literal, index) => ({ name: names[places[index] ?? -1] ?? '', literal }));
  return {
    headers,
    pathWith: (args) =>
      parts.reduce((path, { name, literal }) => `${path}${pathText(name, args[name])}${literal}`, first),
  };
}
