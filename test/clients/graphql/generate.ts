import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../../../src/cli/run-command.ts';

const run = promisify(execFile);
const CLIENTS = join(import.meta.dirname, '..');
const HERE = import.meta.dirname;
const DIST = join(CLIENTS, 'dist/graphql');
const LIBRARY = join(CLIENTS, '../../examples/library/openapi/library.yaml');

/** Makes what generators make of the schema that `duogate schema` prints. */
export async function generate(): Promise<void> {
  for (const folder of ['tada', 'relay']) await mkdir(join(DIST, folder), { recursive: true });
  await writeFile(join(DIST, 'library.graphql'), await schemaText());
  await tool('@graphql-codegen/cli/cjs/bin.js', '--config', 'codegen.yml');
  await tool('gql.tada/bin/cli.js', 'generate', 'output', '-c', 'tsconfig.json');
  await tool('relay-compiler/cli.js', 'relay.config.json');
}

/** The compiler's errors in the apps and the generated code. */
export async function compile(): Promise<string> {
  return tool('typescript/bin/tsc', '-p', 'tsconfig.json').catch(({ stdout }) => stdout);
}

async function schemaText(): Promise<string> {
  const written: string[] = [];
  await runCommand(['schema', LIBRARY], {
    write: (text) => written.push(text),
    environment: {},
    isColoured: false,
    directory: HERE,
    readInput: async () => '',
    serve: async () => '',
  });
  return written.join('');
}

async function tool(script: string, ...args: readonly string[]): Promise<string> {
  const command = [join(CLIENTS, 'node_modules', script), ...args];
  return (await run(process.execPath, command, { cwd: HERE })).stdout;
}
