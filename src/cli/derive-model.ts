import { basename, dirname, relative } from 'node:path';
import { type Environment, readConfig } from '../config/config.ts';
import type { Finding, ListReport } from '../derive/model-from-openapi.ts';
import type { Model } from '../model/model.ts';
import { createFileReader } from '../openapi/file-reader.ts';
import { readerBeside } from '../openapi/files/folder-files.ts';
import { readReferenced } from '../openapi/files/referenced-files.ts';
import {
  type DescriptionTexts,
  type OpenApiDescription,
  readDescription,
} from '../openapi/openapi-description.ts';
import { overlayBeside, readOverlayText } from '../openapi/overlay/overlay-document.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';
import type { CredentialsReport } from '../project/plan/credentials.ts';
import { derivePlan } from '../project/plan/derive-plan.ts';
import { type Plan, planSources, readPlan } from '../project/plan/plan.ts';
import { sourceName } from '../registry/folder/api-folder.ts';
import { UNCALLED } from '../sources/project-source.ts';

/** A model and its sources. */
export interface Derivation {
  readonly sources: readonly DerivedSource[];
  readonly model: Model;
  /** The table of each list, or the reason why it has none. */
  readonly lists: readonly ListReport[];
  readonly findings: readonly Finding[];
  /** The reasons why sources are not part of it. */
  readonly unserved: readonly Finding[];
}

export interface DerivedSource {
  /** The name in findings and operations. */
  readonly name: string;
  readonly file: string;
  readonly description: OpenApiDescription;
  readonly credentials: CredentialsReport;
}

type OnStep = (step: string) => void;

/** Derives one model from OpenAPI files, each a source named after its file. */
export async function deriveFromFiles(
  files: readonly string[],
  overlay?: string,
  progress?: OnStep,
): Promise<Derivation> {
  progress?.(`Reading ${files.join(', ')}`);
  const names = sourceNames(files);
  const sources = files.map((document, index) => ({
    name: names[index] ?? '',
    document,
    endpoint: UNCALLED,
    operationHeaders: {},
  }));
  const read = (file: string) => readDescription(readTexts(file, overlay));
  const plan = planSources({ directory: '.', sources }, read);
  progress?.(`Deriving the tables of ${files.join(', ')}`);
  return derive(plan, (file) => file);
}

/** Derives the model that the gateway would serve for the project file; throws if it would not start. */
export async function deriveFromProject(
  file: string,
  environment: Environment,
  progress?: OnStep,
): Promise<Derivation> {
  progress?.('Reading the documents');
  // Only the variables in the project file matter here.
  const config = readConfig({ ...environment, AUTH: 'off', HOST: '', MESH_CONFIG: file });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const plan = readPlan(place, createFileReader(dirname(config.meshConfig)));
  progress?.('Deriving the tables');
  return derive(plan, shorterPath);
}

/** Relative to the working directory if the file is inside of it. */
function shorterPath(file: string): string {
  const path = relative('', file);
  return path.startsWith('..') ? file : path;
}

async function derive(plan: Plan, nameFile: (path: string) => string): Promise<Derivation> {
  const { project, model, lists, report, unserved } = await derivePlan(plan);
  const sources = project.sources.flatMap(({ name, document: file }) => {
    const [description, credentials] = [plan.descriptions.get(name), plan.credentials.get(name)];
    if (description === undefined || credentials === undefined) return [];
    return [{ name, file: nameFile(file), description, credentials }];
  });
  return { sources, model, lists, findings: report, unserved };
}

/** Valid and unique names of sources; equal file names are numbered. */
export function sourceNames(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return files.map((file) => {
    const name = sourceName(file);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/**
 * The text of a document on the command line with its overlay: the given one, or the one beside it. Throws a
 * {@link DocumentMistake} if they cannot be read.
 */
export function readTexts(file: string, overlay?: string): DescriptionTexts {
  return {
    ...readDocument(file),
    overlay: overlay === undefined ? overlayBeside(file) : readOverlayText(overlay),
  };
}

/** The text of a document on the command line without its overlay, and the files that it refers to. */
export function readDocument(file: string) {
  const document = decodeText(readBytes(file, 'files and pipes'));
  const name = basename(file);
  return { document, file: name, referenced: readReferenced(document, name, readerBeside(file, '')) };
}
