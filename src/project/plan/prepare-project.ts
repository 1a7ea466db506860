import { isObject } from '../../core/json-object.ts';
import type { WrittenSource } from '../../mesh/written-sources.ts';
import { createFileReader, type FileDigests } from '../../openapi/file-reader.ts';
import { type OpenApiDocument, own } from '../../openapi/parse/openapi-version.ts';
import { type Plan, type ProjectPlace, readPlan, type ServedPlan, servedPlan } from './plan.ts';

/** A plan, and what has been made of it for the mesh. It is plain data: another thread may have made it. */
export interface PreparedPlan {
  readonly plan: ServedPlan;
  readonly sources: readonly WrittenSource[];
}

/** What the files of a project hold at one moment, and what that comes to. */
export type ProjectState = {
  /** When it was begun to read them. */
  readonly readAt: Date;
  readonly digests: FileDigests;
} & (
  | { readonly kind: 'prepared'; readonly prepared: PreparedPlan }
  | { readonly kind: 'mistake'; readonly message: string }
);

/** Does all of the work that documents make but for what has to be done where they are served. */
export async function prepareProject(place: ProjectPlace): Promise<ProjectState> {
  const reader = createFileReader();
  const read = { readAt: new Date(), digests: reader.digests };
  try {
    const { plan, sources } = await preparePlan(readPlan(place, reader));
    return { ...read, kind: 'prepared', prepared: { plan: withoutDocuments(plan), sources } };
  } catch (error) {
    return { ...read, kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Throws what is wrong with the files. */
export function preparedPlan(state: ProjectState): PreparedPlan {
  if (state.kind === 'prepared') return state.prepared;
  throw new AggregateError([], state.message);
}

export async function preparePlan(plan: Plan): Promise<PreparedPlan> {
  // It takes longer to load than all the rest.
  const { writeSources } = await import('../../mesh/written-sources.ts');
  const sources = await writeSources({ ...plan, log: SILENT });
  return { plan: servedPlan(plan, sources), sources };
}

/** What the mesh would log is in its report. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * The plan with no more of each document than its title, its version and its first server, which is all that is asked
 * of what is served.
 */
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
