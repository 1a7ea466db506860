import { CommanderError } from 'commander';
import { visibleModels } from '../auth/permissions/visible-model.ts';
import { schemaText } from '../graphql/schema/build-schema.ts';
import type { Model } from '../model/model.ts';
import { grantedRoles } from '../model/resource-grants.ts';
import { writeCsdlJson } from '../odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../odata/payload/csdl/csdl-xml.ts';
import type { AccountCommand } from './account-options.ts';
import type { ApiCommand } from './api-options.ts';
import type { ExitCode, Io } from './command-io.ts';
import { type Derivation, deriveFromFiles, deriveFromProject, type Environment } from './derive-model.ts';
import type { MetadataForm, ModelCommand, ModelInput } from './model-options.ts';
import { findingReports, modelReport } from './model-report.ts';
import { createProgram } from './program.ts';
import { projectEnvironment, projectFile } from './project-environment.ts';
import { runAccounts } from './run-accounts.ts';
import { runApi } from './run-api.ts';
import type { ServeCommand } from './serve-options.ts';
import { UsageError } from './usage-error.ts';
import { writeCompletion } from './write-completion.ts';
import { writeFindings, writeGrants, writeReport } from './write-report.ts';

/** Runs `duogate` with the arguments that follow it on the command line. */
export async function runCommand(args: readonly string[], { environment, ...world }: Io): Promise<ExitCode> {
  const command = readCommand(args, world.isColoured);
  const { progress } = world;
  const io: Io = {
    ...world,
    environment: projectEnvironment(environment, world.directory),
    // What is said of the result does not stand behind what was being done.
    write(text, output) {
      progress?.(undefined);
      world.write(text, output);
    },
  };
  try {
    return await run(command, io, environment);
  } finally {
    progress?.(undefined);
  }
}

async function run(command: Command, io: Io, variables: Environment): Promise<ExitCode> {
  switch (command.kind) {
    case 'help':
      io.write(command.usage, 'stdout');
      return 0;
    case 'mistake':
      io.write(command.message, 'stderr');
      return 2;
    case 'serve': {
      const { runServe } = await import('./run-serve.ts');
      return (await runServe(command, io, variables)) ? 0 : 1;
    }
    case 'init': {
      const { runInit } = await import('./run-init.ts');
      return runInit(command, io) ? 0 : 1;
    }
    case 'demo': {
      const { runDemoCommand } = await import('./run-demo-command.ts');
      return runDemoCommand(command, io);
    }
    case 'completion':
      io.write(writeCompletion(createProgram(() => undefined, false).program, command.shell), 'stdout');
      return 0;
    case 'grant': {
      const { runGrant } = await import('./run-grant.ts');
      return (await runGrant(command, io)) ? 0 : 1;
    }
    case 'model':
      return runModel(command, io);
    case 'grants':
      return runGrants(command.input, io);
    case 'schema':
      return runSchema(command, await derive(command.input, io), io.write);
    case 'validate': {
      // The linter takes a while to load.
      const { runValidate } = await import('./run-validate.ts');
      return (await runValidate(command, io)) ? 0 : 1;
    }
    case 'suggest': {
      const { runSuggest } = await import('./run-suggest.ts');
      return runSuggest(command, io.write) ? 0 : 1;
    }
    case 'try':
    case 'api list':
    case 'api show':
    case 'api register':
    case 'api add':
    case 'api remove':
    case 'api delete':
    case 'api fetch':
    case 'api history':
    case 'api restore':
      io.progress?.('Reading the project');
      return (await runApi(command, io)) ? 0 : 1;
    default:
      return (await runAccounts(command, io)) ? 0 : 1;
  }
}

async function runGrants(input: ModelInput, io: Io): Promise<ExitCode> {
  const derivation = await derive(input, io);
  if (derivation === undefined) return 1;
  for (const { message } of derivation.unserved) io.write(`${message}\n`, 'stderr');
  if (derivation.sources.length === 0) return 1;
  io.write(writeGrants(derivation.model), 'stdout');
  return derivation.unserved.length === 0 ? 0 : 1;
}

async function runModel({ input, output }: Command & { kind: 'model' }, io: Io): Promise<ExitCode> {
  const derivation = await derive(input, io);
  if (derivation === undefined) return 1;
  const { sources, model, findings, unserved } = derivation;
  for (const { message } of unserved) io.write(`${message}\n`, 'stderr');
  if (sources.length === 0) return 1;
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (output === 'xml' || output === 'json') {
    io.write(writeMetadata(model, output), 'stdout');
    io.write(writeFindings(findingReports(errors, sources)), 'stderr');
  } else {
    const report = modelReport(derivation);
    const text = output === 'report' ? writeReport(report) : `${JSON.stringify(report, undefined, 2)}\n`;
    io.write(text, 'stdout');
  }
  return errors.length === 0 && unserved.length === 0 ? 0 : 1;
}

/** Derives the model; undefined where the project cannot be served at all, which has been reported then. */
async function derive(
  input: ModelInput,
  { environment, write, progress, directory }: Io,
): Promise<Derivation | undefined> {
  if (input.kind === 'files') return deriveFromFiles(input.files, input.overlay, progress);
  const file = input.file ?? projectFile(environment, directory);
  if (file === undefined) {
    write('There is no project here. Name an OpenAPI file.\n', 'stderr');
    return undefined;
  }
  try {
    return await deriveFromProject(file, environment, progress);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    write(`${error.message}\n`, 'stderr');
    return undefined;
  }
}

function writeMetadata(model: Model, form: MetadataForm): string {
  if (form === 'xml') return `${writeCsdlXml(model, '4.01').trimEnd()}\n`;
  return `${JSON.stringify(JSON.parse(writeCsdlJson(model)), undefined, 2)}\n`;
}

type Command =
  | ServeCommand
  | ModelCommand
  | AccountCommand
  | ApiCommand
  | { readonly kind: 'help'; readonly usage: string }
  | { readonly kind: 'mistake'; readonly message: string };

/** Understands what stands behind `duogate` on the command line. A mistake is told with the usage. */
function readCommand(args: readonly string[], isColoured = false): Command {
  const read: { command?: Command } = {};
  const { program, written, at } = createProgram((command) => {
    read.command = command;
  }, isColoured);
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof UsageError)
      return { kind: 'mistake', message: `${error.message}\n\n${at().helpInformation()}` };
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0
      ? { kind: 'help', usage: written.out }
      : { kind: 'mistake', message: written.err };
  }
  return read.command ?? { kind: 'mistake', message: written.err };
}

/** Prints the GraphQL schema of a service: all of it, or what users with the roles are shown. */
function runSchema(
  { roles }: ModelCommand & { kind: 'schema' },
  derivation: Derivation | undefined,
  write: Io['write'],
): ExitCode {
  if (derivation === undefined) return 1;
  const { sources, model, unserved } = derivation;
  for (const { message } of unserved) write(`${message}\n`, 'stderr');
  if (sources.length === 0) return 1;
  const known = grantedRoles(model);
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined) {
    write(`Nothing is granted to the role ${JSON.stringify(unknown)}: ${rolesText(known)}.\n`, 'stderr');
    return 1;
  }
  const visible = roles.length === 0 ? model : visibleModels(model)({ kind: 'user', id: '', roles });
  write(schemaText(model, visible), 'stdout');
  return unserved.length === 0 ? 0 : 1;
}

function rolesText(known: readonly string[]): string {
  return known.length === 0 ? 'no role is granted anything' : `known are ${known.join(', ')}`;
}
