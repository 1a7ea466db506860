import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Examiner } from '../../src/project/examination/examiner.ts';
import { createLogger } from '../../src/server/logger.ts';
import { type AtEnd, atEndOfFile, awaitAtEndOfFile } from './end-of-file.ts';
import { sharedExaminer } from './shared-examiner.ts';

/** A project folder of its own, removed at the end. */
export interface TemporaryProject {
  readonly directory: string;
  /** Absolute path of a file in it. */
  path(file: string): string;
  /** Writes the file in place, with the directories above it. */
  write(file: string, content: string | Uint8Array): void;
  /** Puts another file in its place, as editors do. */
  replace(file: string, text: string): void;
}

export function createProject(
  files: Readonly<Record<string, string | Uint8Array>>,
  atEnd: AtEnd = onTestFinished,
): TemporaryProject {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-'));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  const path = (file: string): string => join(directory, file);
  const write = (file: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), content);
  };
  for (const [file, content] of Object.entries(files)) write(file, content);
  return {
    directory,
    path,
    write,
    replace(file, text) {
      write(`${file}.new`, text);
      renameSync(path(`${file}.new`), path(file));
    },
  };
}

/** A gateway that serves such a project. */
export interface ProjectGateway {
  readonly gateway: Gateway;
  /** The entries of the log so far. */
  readonly entries: () => readonly Record<string, unknown>[];
  /** The names in the service document. */
  entitySets(): Promise<readonly string[]>;
  /** The JSON at the path. */
  json(path: string): Promise<unknown>;
}

/** Serves the project until the end, which is that of the test. */
export async function serveProject(
  { path }: TemporaryProject,
  environment: Readonly<Record<string, string>> = {},
  atEnd: AtEnd = onTestFinished,
  examiner: Examiner = sharedExaminer,
): Promise<ProjectGateway> {
  const lines: string[] = [];
  const config = readConfig({
    AUTH: 'off',
    PORT: '0',
    MESH_CONFIG: path('.meshrc.yaml'),
    // Tests that write files mean what they write.
    EDITED_FILES: 'serve',
    ...environment,
  });
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
  const gateway = await startGateway(config, log, examiner);
  // A gateway takes its time to stop: the next test need not wait for it.
  atEnd(() => (atEnd === atEndOfFile ? gateway.close() : awaitAtEndOfFile(gateway.close())));
  const json = async (target: string): Promise<unknown> => (await fetch(`${gateway.url}${target}`)).json();
  return {
    gateway,
    entries: () => lines.map((line) => JSON.parse(line)),
    json,
    async entitySets() {
      const { value } = (await json('/odata')) as { readonly value: readonly { readonly name: string }[] };
      return value.map(({ name }) => name);
    },
  };
}

const POSTS = readFileSync(join(import.meta.dirname, '../../openapi/posts.yaml'), 'utf8');

/**
 * The posts document with a resource of another name, such as `Note` at `/notes`: sources with the same
 * names of operations and types cannot be served together.
 */
export function documentOf(name: string): string {
  const path = `${name.toLowerCase()}s`;
  return POSTS.replaceAll('/posts', `/${path}`)
    .replaceAll('operationId: posts', `operationId: ${path}`)
    .replaceAll('operationId: post', `operationId: ${name.toLowerCase()}`)
    .replaceAll('createPost', `create${name}`)
    .replaceAll('namespace: Posts', `namespace: ${name}s`)
    .replaceAll(/schemas\/(New)?Post/g, `schemas/$1${name}`)
    .replaceAll(/^ {4}(New)?Post:/gm, `    $1${name}:`)
    .replaceAll('entitySet: Post', `entitySet: ${name}`);
}

/** A source as `.meshrc.yaml` lists it. */
export function sourceOf(name: string, document: string, endpoint: string, headers: object = {}): string {
  const openapi = { source: document, endpoint, operationHeaders: headers };
  return `  - ${JSON.stringify({ name, handler: { openapi } })}\n`;
}
