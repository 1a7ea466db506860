import { whyNoTokens } from '../../mesh/credentials/token-target.ts';
import { readProject } from '../../mesh/project-reading/project.ts';
import type { Environment } from '../../mesh/project-reading/project-reader.ts';
import { type Project, type ProjectSource, suppliedBy } from '../../mesh/project-reading/project-source.ts';
import type { WrittenSource } from '../../mesh/written-sources.ts';
import { type Finding, type ListReport, modelFromOpenApi } from '../../model/derive/model-from-openapi.ts';
import type { Model } from '../../model/model.ts';
import { asWritten, type PlaceFinder, type WrittenPlace } from '../../openapi/document/written-place.ts';
import type { FileReader } from '../../openapi/file-reader.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import type { OpenApiDocument } from '../../openapi/parse/openapi-version.ts';
import { type CredentialsReport, readCredentials } from './credentials.ts';
import { signsOfHalfWritten } from './half-written.ts';
import { newFindings } from './model-change.ts';

/** What the files of a project say at one moment, as far as they can be read. */
export interface Plan {
  /** With the sources whose documents can be read, and no others. */
  readonly project: Project;
  /** The document of each of these sources, by its name. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>;
  /** How each of these documents came about, by the source's name. */
  readonly descriptions: ReadonlyMap<string, OpenApiDescription>;
  /** What each of these sources needs and has to be let in, by its name. */
  readonly credentials: ReadonlyMap<string, CredentialsReport>;
  /** Why sources are left out whole, one for each; none has a pointer into its document. */
  readonly unserved: readonly Finding[];
}

/** A plan and what it comes to. It is plain data but for the secrets of the project. */
export interface ServedPlan extends Omit<Plan, 'descriptions'> {
  readonly model: Model;
  /** What is left out of the service and why. */
  readonly report: readonly Finding[];
  /** Signs that documents have not been written to their end; no part of any report. */
  readonly halfWritten: readonly Finding[];
  /** What became of each list of the documents. */
  readonly lists: readonly ListReport[];
  /** Where the pointers of both lead to that are not read as they are written, by the source's name. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, WrittenPlace>>;
}

/** Finds where it is written what the report says of a source. */
export function reportedPlaces({ places }: Pick<ServedPlan, 'places'>, source: string): PlaceFinder {
  const known = places.get(source);
  return (pointer) => known?.get(pointer) ?? asWritten(pointer);
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
  const plan = planSources(reading.project, reader.readOpenApi);
  if (plan.documents.size === 0) throw projectError(plan.unserved.map(writeFinding));
  const { project, documents } = plan;
  const tokenless = project.sources.flatMap((each) => whyNoTokens(each, documents.get(each.name)) ?? []);
  if (tokenless.length > 0) throw projectError(tokenless);
  return plan;
}

/** Reads the documents of the sources; `read` throws where a file is none. */
export function planSources(
  { directory, sources }: Project,
  read: (file: string) => OpenApiDescription,
): Plan {
  const readings = sources.map((source) => readSource(source, read));
  const served = readings.filter((each) => each.kind === 'document');
  return {
    project: { directory, sources: served.map(({ source }) => source) },
    documents: new Map(served.map(({ source, description }) => [source.name, description.document])),
    descriptions: new Map(served.map(({ source, description }) => [source.name, description])),
    credentials: new Map(
      served.map(({ source, description }) => [source.name, readCredentials(source, description.document)]),
    ),
    unserved: readings.flatMap((each) => (each.kind === 'finding' ? [each.finding] : [])),
  };
}

/** The plan as far as the mesh serves it: what that cannot call has no place in the model. */
export function servedPlan({ descriptions, ...plan }: Plan, written: readonly WrittenSource[]): ServedPlan {
  const sources = plan.project.sources.map((source) => ({
    name: source.name,
    document: plan.documents.get(source.name),
    supplied: suppliedBy(source),
  }));
  const leftOut = new Set(
    written.flatMap(({ name, leftOut: pointers }) => pointers.map((pointer) => `${name} ${pointer}`)),
  );
  const { model, report, lists } = modelFromOpenApi(
    sources,
    (source, pointer) => !leftOut.has(`${source} ${pointer}`),
  );
  const ofMesh = written.flatMap((source) => source.report);
  const all = [...report, ...newFindings(report, ofMesh)];
  const places = new Map(
    [...descriptions].map(
      ([name, { placeOf }]) => [name, placesOf(placeOf, name, [...all, ...lists])] as const,
    ),
  );
  const halfWritten = [...plan.documents].flatMap(([name, document]) => signsOfHalfWritten(name, document));
  return { ...plan, model, lists, report: all, places, halfWritten };
}

function placesOf(
  placeOf: PlaceFinder,
  name: string,
  reported: readonly Pick<Finding, 'source' | 'pointer'>[],
): ReadonlyMap<string, WrittenPlace> {
  const pointers = reported.filter(({ source }) => source === name).map(({ pointer }) => pointer);
  const places = pointers.map((pointer) => [pointer, placeOf(pointer)] as const);
  return new Map(
    places.filter(([pointer, { file, pointer: written }]) => file !== 'document' || written !== pointer),
  );
}

export function projectError(mistakes: readonly string[]): AggregateError {
  const list = mistakes.map((mistake) => `\n  - ${mistake}`).join('');
  return new AggregateError([], `The project cannot be served:${list}`);
}

/** In one line; the message of a source that is left out whole begins with its file. */
export function writeFinding({ source, message }: Finding): string {
  return `${source}: ${message}`;
}

type SourceReading =
  | { readonly kind: 'document'; readonly source: ProjectSource; readonly description: OpenApiDescription }
  | { readonly kind: 'finding'; readonly finding: Finding };

function readSource(source: ProjectSource, read: (file: string) => OpenApiDescription): SourceReading {
  try {
    return { kind: 'document', source, description: read(source.document) };
  } catch (error) {
    const message = `${source.document}: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'finding', finding: { severity: 'error', source: source.name, pointer: '', message } };
  }
}
