import type { FileReader } from '../document/file-reader.ts';
import type { OpenApiDocument } from '../document/openapi-version.ts';
import type { GatewayMesh } from '../mesh/mesh.ts';
import {
  type Environment,
  type Project,
  type ProjectSource,
  readProject,
  suppliedBy,
} from '../mesh/project.ts';
import type { Model } from '../model/edm.ts';
import { type Finding, modelFromOpenApi, type OpenApiSource } from '../model/from-openapi.ts';
import { type CredentialsReport, readCredentials } from './credentials.ts';

/** What the files of a project say at one moment, as far as it can be served. */
export interface Plan {
  /** With the sources that can be served, and no others. */
  readonly project: Project;
  /** The document of each of these sources, in their order. */
  readonly documents: readonly SourceDocument[];
  readonly model: Model;
  /** What is left out of the service and why. */
  readonly report: readonly Finding[];
  /** What each of these sources needs and has to be let in, by its name. */
  readonly credentials: ReadonlyMap<string, CredentialsReport>;
  /** Why sources are left out whole, one for each; none has a pointer into its document. */
  readonly unserved: readonly Finding[];
}

export interface SourceDocument {
  /** The name of the source. */
  readonly name: string;
  readonly document: OpenApiDocument;
}

/** The environment is what `{env.X}` in the project file stands for. */
export interface ProjectPlace {
  readonly file: string;
  readonly environment: Environment;
}

/**
 * Reads what is to be served.
 *
 * A source whose document cannot be read is left out and reported. Throws what is wrong with the project
 * file, and where no source is left.
 */
export function readPlan({ file, environment }: ProjectPlace, reader: FileReader): Plan {
  const reading = readProject(file, environment, reader);
  if (reading.kind === 'mistakes') throw projectError(reading.mistakes);
  const { directory, sources } = reading.project;
  const readings = sources.map((source) => readSource(source, reader));
  const served = readings.filter((each) => each.kind === 'document');
  const unserved = readings.filter((each) => each.kind === 'finding').map(({ finding }) => finding);
  if (served.length === 0) throw projectError(unserved.map(writeFinding));
  const documents = served.map(({ source: { name }, document }) => ({ name, document }));
  const project = { directory, sources: served.map(({ source }) => source) };
  const { model, report } = modelFromOpenApi(sourcesOf({ project, documents }));
  return {
    project,
    documents,
    model,
    report,
    credentials: new Map(
      served.map(({ source, document }) => [source.name, readCredentials(source.name, document, source)]),
    ),
    unserved,
  };
}

/** The plan as far as the mesh serves it: what that cannot call has no place in the model. */
export function servedPlan(plan: Plan, mesh: Pick<GatewayMesh, 'report' | 'leftOut'>): Plan {
  const { model, report } = mesh.leftOut.length === 0 ? plan : withoutOperations(plan, mesh.leftOut);
  const known = new Set(report.map(keyOf));
  return { ...plan, model, report: [...report, ...mesh.report.filter((each) => !known.has(keyOf(each)))] };
}

function withoutOperations(plan: Plan, leftOut: GatewayMesh['leftOut']) {
  const missing = new Set(leftOut.map(({ source, pointer }) => `${source} ${pointer}`));
  return modelFromOpenApi(sourcesOf(plan), (source, pointer) => !missing.has(`${source} ${pointer}`));
}

function sourcesOf({ project, documents }: Pick<Plan, 'project' | 'documents'>): readonly OpenApiSource[] {
  const supplied = new Map(project.sources.map((source) => [source.name, suppliedBy(source)]));
  return documents.map(({ name, document }) => ({ name, document, supplied: supplied.get(name) }));
}

function keyOf({ source, pointer, message }: Finding): string {
  return `${source}\n${pointer}\n${message}`;
}

export function projectError(mistakes: readonly string[]): AggregateError {
  const list = mistakes.map((mistake) => `\n  - ${mistake}`).join('');
  return new AggregateError([], `The project cannot be served:${list}`);
}

export function writeFinding({ source, message }: Finding): string {
  return `${source}: ${message}`;
}

type SourceReading =
  | { readonly kind: 'document'; readonly source: ProjectSource; readonly document: OpenApiDocument }
  | { readonly kind: 'finding'; readonly finding: Finding };

function readSource(source: ProjectSource, { readOpenApi }: FileReader): SourceReading {
  try {
    return { kind: 'document', source, document: readOpenApi(source.document) };
  } catch (error) {
    const message = `${source.document}: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'finding', finding: { severity: 'error', source: source.name, pointer: '', message } };
  }
}
