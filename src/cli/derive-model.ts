import { basename, extname, relative } from 'node:path';
import { readConfig } from '../config/config.ts';
import { DocumentMistake } from '../document/document-mistake.ts';
import { createFileReader } from '../document/file-reader.ts';
import { decodeText, readBytes } from '../document/file-text.ts';
import type { OpenApiDocument } from '../document/openapi-version.ts';
import { parseOpenApi } from '../document/parse-openapi.ts';
import type { Model } from '../model/edm.ts';
import { type Finding, modelFromOpenApi } from '../model/from-openapi.ts';
import { type CredentialsReport, readCredentials } from '../project/credentials.ts';
import { readPlan, writeFinding } from '../project/plan.ts';

/** A model and what it is made of. */
export interface Derivation {
  readonly sources: readonly DerivedSource[];
  readonly model: Model;
  readonly findings: readonly Finding[];
  /** Why files are no part of it, one line each. */
  readonly mistakes: readonly string[];
}

export interface DerivedSource {
  /** As findings and operations name it. */
  readonly name: string;
  readonly file: string;
  readonly document: OpenApiDocument;
  readonly credentials: CredentialsReport;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Derives one model from the OpenAPI files, each a source that is named after it. */
export function deriveFromFiles(files: readonly string[]): Derivation {
  const names = sourceNames(files);
  const readings = files.map((file, index) => ({ file, name: names[index] ?? file, ...readDocument(file) }));
  const sources = readings.flatMap(({ file, name, document }) =>
    document === undefined ? [] : [{ name, file, document, credentials: readCredentials(name, document) }],
  );
  const { model, report } = modelFromOpenApi(sources);
  const mistakes = readings.flatMap(({ file, mistake }) =>
    mistake === undefined ? [] : [`${file}: ${mistake}`],
  );
  return { sources, model, findings: report, mistakes };
}

/** Derives the model that the gateway would serve for the project file; throws where it would not start. */
export function deriveFromProject(file: string, environment: Environment): Derivation {
  // Of the settings, only those that the project file may name matter here.
  const config = readConfig({ ...environment, AUTH: 'off', HOST: '', MESH_CONFIG: file });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const { project, documents, model, report, credentials, unserved } = readPlan(place, createFileReader());
  const files = new Map(project.sources.map((source) => [source.name, relative('', source.document)]));
  const sources = documents.flatMap(({ name, document }) => {
    const found = credentials.get(name);
    return found === undefined ? [] : [{ name, file: files.get(name) ?? '', document, credentials: found }];
  });
  return { sources, model, findings: report, mistakes: unserved.map(writeFinding) };
}

function readDocument(file: string): {
  readonly document?: OpenApiDocument;
  readonly mistake?: string;
} {
  try {
    return { document: parseOpenApi(decodeText(readBytes(file, 'files and pipes'))) };
  } catch (error) {
    if (error instanceof DocumentMistake) return { mistake: error.message };
    throw error;
  }
}

/** Files of one name in several directories are told apart by a number. */
function sourceNames(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return files.map((file) => {
    const name = basename(file, extname(file));
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}${count}`;
  });
}
