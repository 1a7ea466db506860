import { isObject } from '../../core/json-object.ts';
import { type Finding, type ListReport, modelFromOpenApi } from '../../derive/model-from-openapi.ts';
import type { WrittenSource } from '../../mesh/written-sources.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import type { Model } from '../../model/model.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { PATH_ITEM_METHODS } from '../../openapi/document/path-item.ts';
import { asWritten, type PlaceFinder, type WrittenPlace } from '../../openapi/document/written-place.ts';
import type { FileReader } from '../../openapi/file-reader.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { type OpenApiDocument, own } from '../../openapi/parse/openapi-version.ts';
import { readProject } from '../../sources/project.ts';
import type { Environment } from '../../sources/project-reader.ts';
import { type Project, type ProjectSource, suppliedBy } from '../../sources/project-source.ts';
import { validateTokenRequests } from '../../sources/token-target.ts';
import { type CredentialsReport, readCredentials } from './credentials.ts';
import { newFindings } from './model-change.ts';

/** The content of a project's files at one moment, as far as they can be read. */
export interface Plan {
  /** With readable sources only. */
  readonly project: Project;
  /** The document of each source, by name. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>;
  /** The origin of each document (text, overlay, version), by source name. */
  readonly descriptions: ReadonlyMap<string, OpenApiDescription>;
  /** The required and configured credentials of each source, by name. */
  readonly credentials: ReadonlyMap<string, CredentialsReport>;
  /** The reasons why whole sources are left out; their findings have no pointer. */
  readonly unserved: readonly Finding[];
}

/** A plan with its model. Plain data, except for secrets of the project. */
export interface ServedPlan extends Omit<Plan, 'descriptions'> {
  readonly model: Model;
  /** The parts that are not served, with reasons. */
  readonly report: readonly Finding[];
  /** Signs of partly written documents, which are not part of reports. */
  readonly halfWritten: readonly Finding[];
  /** The outcome for each list of the documents. */
  readonly lists: readonly ListReport[];
  /** The relations between entity sets that are served, suggested and refused. */
  readonly relations: readonly FoundRelation[];
  /** The source positions of reported pointers that differ in the text, by source name. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, WrittenPlace>>;
}

/** Finds the source position of a pointer in a report. */
export function reportedPlaces({ places }: Pick<ServedPlan, 'places'>, source: string): PlaceFinder {
  const known = places.get(source);
  return (pointer) => known?.get(pointer) ?? asWritten(pointer);
}

/** A project file, and the environment for its `{env.X}`. */
export interface ProjectPlace {
  readonly file: string;
  readonly environment: Environment;
}

/**
 * Reads the project and its documents.
 *
 * A source with an unreadable document is reported and left out. Throws for a mistake in the project file,
 * and if no source remains.
 */
export function readPlan({ file, environment }: ProjectPlace, reader: FileReader): Plan {
  const reading = readProject(file, environment, reader);
  if (reading.kind === 'mistakes') throw projectError(reading.mistakes);
  const plan = planSources(reading.project, reader.readOpenApi);
  if (plan.documents.size === 0) throw projectError(plan.unserved.map(writeFinding));
  const { project, documents } = plan;
  const tokenless = project.sources.flatMap(
    (each) => validateTokenRequests(each, documents.get(each.name)) ?? [],
  );
  if (tokenless.length > 0) throw projectError(tokenless);
  return plan;
}

/** Reads the documents of the sources; `read` throws for an invalid file. */
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

/** The plan limited to what the mesh can call. */
export function servedPlan({ descriptions, ...plan }: Plan, written: readonly WrittenSource[]): ServedPlan {
  const sources = plan.project.sources.map((source) => ({
    name: source.name,
    document: plan.documents.get(source.name),
    supplied: suppliedBy(source),
  }));
  const leftOut = new Set(
    written.flatMap(({ name, leftOut: pointers }) => pointers.map((pointer) => `${name} ${pointer}`)),
  );
  const { model, report, lists, relations } = modelFromOpenApi(
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
  return { ...plan, model, lists, relations, report: all, places, halfWritten };
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

/** Writes a finding in one line; for a whole source, it begins with its file. */
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

/**
 * Signs that a readable document is incomplete or misspelled: a YAML text may be cut anywhere. A sign alone
 * is not an error, but with lost entity sets it prevents serving.
 */
function signsOfHalfWritten(source: string, document: OpenApiDocument): readonly Finding[] {
  const sign = (severity: Finding['severity'], pointer: string, message: string): Finding => ({
    severity,
    source,
    pointer,
    message,
  });
  const halfWritten = ([severity, pointer, message]: Sign): Finding =>
    sign(severity, pointer, `${message}: it may be half written`);
  if (!PARTS.some((part) => isObject(own(document, part)))) {
    const lack = `The document is expected to have one of ${PARTS.join(', ')}, but has none`;
    return [halfWritten(['error', '', lack])];
  }
  const misspelled = [...misspelledIn(document)].map((found) => sign(...found));
  return [...misspelled, ...[...unfinishedIn(document, '')].map(halfWritten)].slice(0, MOST_SIGNS);
}

/** The fields of a document (OpenAPI 3.2, 4.1.1, and Swagger 2.0) and of a path item (4.9.1). */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set(
  `$self basePath components consumes definitions externalDocs host info jsonSchemaDialect openapi parameters paths
produces responses schemes security securityDefinitions servers swagger tags webhooks`.split(/\s/),
);
const PATH_FIELDS: ReadonlySet<string> = new Set(
  `$ref additionalOperations delete description get head options parameters patch post put query servers summary
trace`.split(/\s/),
);

/** Unknown fields at positions where a typing error, such as `pathz`, loses whole operations. */
function* misspelledIn(document: OpenApiDocument): Generator<Sign> {
  yield* unknownFields(document, DOCUMENT_FIELDS, '');
  const paths = own(document, 'paths');
  if (!isObject(paths)) return;
  for (const [path, item] of Object.entries(paths)) {
    if (isObject(item)) yield* unknownFields(item, PATH_FIELDS, `/paths/${pointerToken(path)}`);
  }
}

function* unknownFields(
  value: OpenApiDocument,
  known: ReadonlySet<string>,
  pointer: string,
): Generator<Sign> {
  for (const name of Object.keys(value)) {
    if (known.has(name) || name.startsWith('x-')) continue;
    const place = `${pointer}/${pointerToken(name)}`;
    yield ['error', place, `OpenAPI has no field ${quote(name)} here: it may be misspelled`];
  }
}

function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** OpenAPI 3.1.1, 4.8.1: a document requires one of these. */
const PARTS = ['paths', 'components', 'webhooks'] as const;

const MOST_SIGNS = 10;

/** A warning for a missing member that OpenAPI does not require; its position; the member. */
type Sign = readonly [severity: Finding['severity'], pointer: string, message: string];

/** Members with arbitrary JSON or outside of OpenAPI. */
const FREE = /^(?:x-.*|examples?|default|const|enum|value)$/;

/** Members that hold objects by name, and those that hold only objects. */
const MAPS: ReadonlySet<string> = new Set(['responses', 'content', 'properties', 'schemas', 'components']);
const OBJECTS: ReadonlySet<string> = new Set([...MAPS, 'schema', 'items', 'requestBody', 'paths']);

function* unfinishedIn(value: unknown, pointer: string): Generator<Sign> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unfinishedIn(item, `${pointer}/${index}`);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const place = `${pointer}/${pointerToken(name)}`;
    if (member === null && (!FREE.test(name) || name === 'x-odata')) {
      yield ['error', place, 'A value is expected, but there is none'];
    } else if (
      typeof member === 'string' &&
      (OBJECTS.has(name) || MAPS.has(pointer.split('/').at(-1) ?? ''))
    ) {
      yield ['error', place, 'An object is expected, but a text found'];
    } else if (!FREE.test(name)) yield* unfinishedIn(member, place);
  }
  const lack = lackOf(value, pointer.split('/'));
  if (lack !== undefined) yield ['warning', pointer, lack];
}

/** A missing optional member that is almost always present. */
function lackOf(
  value: OpenApiDocument,
  [, top, , method = '', part, status, ...deeper]: readonly string[],
): string | undefined {
  if (own(value, 'type') === 'array' && own(value, 'items') === undefined) {
    return 'An array needs `items`, but has none';
  }
  if (top !== 'paths' || !PATH_ITEM_METHODS.has(method)) return undefined;
  if (part === undefined && own(value, 'responses') === undefined) {
    return 'An operation needs `responses`, but has none';
  }
  const isGood = method === 'get' && part === 'responses' && status === '200' && deeper.length === 0;
  return isGood && own(value, 'content') === undefined && own(value, '$ref') === undefined
    ? 'The answer to a read is expected to have content, but has none'
    : undefined;
}
