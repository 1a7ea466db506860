import { dirname } from 'node:path';
import { isObject } from '../../core/json-object.ts';
import type { WrittenSource } from '../../mesh/written-sources.ts';
import { createFileReader, type FileDigests } from '../../openapi/file-reader.ts';
import { type OpenApiDocument, own } from '../../openapi/parse/openapi-version.ts';
import { type Plan, type ProjectPlace, readPlan, type ServedPlan, servedPlan } from './plan.ts';

/** A plan and its preparation for the mesh. Plain data, which another thread may have created. */
export interface PreparedPlan {
  readonly plan: ServedPlan;
  readonly sources: readonly WrittenSource[];
}

/** The content of a project's files at one moment, and the result. */
export type ProjectState = {
  /** The moment before the files were read. */
  readonly readAt: Date;
  readonly digests: FileDigests;
} & (
  | { readonly kind: 'prepared'; readonly prepared: PreparedPlan }
  | { readonly kind: 'mistake'; readonly message: string }
);

/** Does all processing of documents that is possible in another thread. */
export async function prepareProject(place: ProjectPlace): Promise<ProjectState> {
  const reader = createFileReader(dirname(place.file));
  const read = { readAt: new Date(), digests: reader.digests };
  try {
    const { plan, sources } = await preparePlan(readPlan(place, reader));
    return { ...read, kind: 'prepared', prepared: { plan: withoutDocuments(plan), sources } };
  } catch (error) {
    return { ...read, kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Throws the error of an invalid project. */
export function preparedPlan(state: ProjectState): PreparedPlan {
  if (state.kind === 'prepared') return state.prepared;
  throw new AggregateError([], state.message);
}

export async function preparePlan(plan: Plan): Promise<PreparedPlan> {
  // Loaded on demand, because it takes longest.
  const { writeSources } = await import('../../mesh/written-sources.ts');
  const sources = await writeSources({ ...plan, log: SILENT });
  return { plan: servedPlan(plan, sources), sources };
}

/** The plan's report contains what Mesh would log. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The plan with only the title, version and first server of each document, which suffice for serving. */
function withoutDocuments(plan: ServedPlan): ServedPlan {
  const heads = [...plan.documents].map(([name, document]) => [name, headOf(document)] as const);
  return { ...plan, documents: new Map(heads) };
}

function headOf(document: OpenApiDocument): OpenApiDocument {
  const info = own(document, 'info');
  const servers = own(document, 'servers');
  return {
    ...(isObject(info) && { info: { title: own(info, 'title'), version: own(info, 'version') } }),
    ...(Array.isArray(servers) && { servers: servers.slice(0, 1) }),
  };
}
