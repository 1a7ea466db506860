import type { GraphQLResolveInfo } from 'graphql';
import type { HttpField } from '../fields/http-field.ts';
import { markArguments, pathText, type WireObject } from '../sending/wire-arguments.ts';

/** What Mesh tells of the request that it has made. */
export interface MeshRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What Mesh reads of a response. */
export interface MeshResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Headers;
  text(): Promise<string>;
}

/** A response for Mesh to read nothing from: a number is the one text that Mesh neither wraps nor decorates. */
export const PLACEHOLDER: MeshResponse = {
  status: 200,
  statusText: 'OK',
  ok: true,
  headers: new Headers(),
  text: async () => '0',
};

/** The resolver that Mesh has made of a root field. It calls the `fetch` of the context. */
export type MeshResolver = (
  root: unknown,
  args: Record<string, unknown>,
  context: { readonly fetch: unknown },
  info: GraphQLResolveInfo,
) => unknown;

type MeshFetch = (url: string, request: MeshRequest) => Promise<MeshResponse>;

/** The request that Mesh makes of a field whenever it is given the arguments of its path and no others. */
export interface RequestTemplate {
  readonly headers: Readonly<Record<string, string>>;
  pathWith(args: Readonly<Record<string, unknown>>): string;
}

/**
 * Has Mesh make the request of a field for values that can be told from all else in it, and takes it for a template:
 * making each request anew, Mesh would parse the same texts of the document again to the same end.
 *
 * Undefined where the values do not come out of it as they went in, each of them once: Mesh must be asked each time.
 */
export async function requestTemplate(
  field: HttpField,
  resolve: MeshResolver,
  info: GraphQLResolveInfo,
  pathOf: (url: string) => string,
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
