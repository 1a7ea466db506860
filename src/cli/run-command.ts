import { CommanderError } from 'commander';
import { visibleModels } from '../auth/permissions/visible-model.ts';
import type { Environment } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { breakingMessages } from '../contract/service-changes.ts';
import { schemaText } from '../graphql/schema/build-schema.ts';
import type { Model } from '../model/model.ts';
import { grantedRoles } from '../model/resource-grants.ts';
import { explainQuery } from '../odata/explain-query.ts';
import { writeCsdlJson } from '../odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../odata/payload/csdl/csdl-xml.ts';
import type { AccountCommand } from './account-options.ts';
import type { ApiCommand } from './api-options.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { type Derivation, deriveFromFiles, deriveFromProject } from './derive-model.ts';
import { writeDiagram } from './model-diagram.ts';
import { compareMetadata, earlierMetadata, writeChanges } from './model-diff.ts';
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

/** Runs `duogate` with command line arguments. */
export async function runCommand(args: readonly string[], { environment, ...world }: Io): Promise<ExitCode> {
  const command = readCommand(args, world.isColoured);
  const { progress } = world;
  const io: Io = {
    ...world,
    environment: projectEnvironment(environment, world.directory),
    // Clears the progress line before the result is printed.
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
      return runServe(command, io, variables);
    }
    case 'init': {
      const { runInit } = await import('./run-init.ts');
      return runInit(command, io);
    }
    case 'demo': {
      const { runDemo } = await import('../demo/run-demo.ts');
      return reportingMistakes(io, async () => {
        io.write(await runDemo(command.api, io.environment, io.serve), 'stdout');
        return true;
      });
    }
    case 'completion':
      io.write(writeCompletion(createProgram(() => undefined, false).program, command.shell), 'stdout');
      return 0;
    case 'grant': {
      const { runGrant } = await import('./run-grant.ts');
      return runGrant(command, io);
    }
    case 'model':
      return withModel(command.input, io, (derivation) => printModel(command, derivation, io));
    case 'grants':
      return withModel(command.input, io, ({ model }) => {
        io.write(writeGrants(model), 'stdout');
        return true;
      });
    case 'schema':
      return withModel(command.input, io, ({ model }) => printSchema(command, model, io));
    case 'explain':
      return withModel(command.input, io, ({ model }) => {
        io.write(explainQuery(visibleModel(model, command.roles), command.url), 'stdout');
        return true;
      });
    case 'probe': {
      const { runProbe } = await import('./run-probe.ts');
      return runProbe(command, io);
    }
    case 'learn': {
      const { runLearn } = await import('./run-learn.ts');
      return runLearn(command, io);
    }
    case 'validate': {
      // Loaded on demand, because the linter takes a while.
      const { runValidate } = await import('./run-validate.ts');
      return runValidate(command, io);
    }
    case 'suggest': {
      const { runSuggest } = await import('./run-suggest.ts');
      return runSuggest(command, io);
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
    case 'api disable':
    case 'api enable':
    case 'api restore':
      io.progress?.('Reading the project');
      return runApi(command, io);
    default:
      return runAccounts(command, io);
  }
}

/** Derives a model and passes it on. Sources that cannot be served are reported and fail the command. */
function withModel(
  input: ModelInput,
  io: Io,
  print: (derivation: Derivation) => boolean | Promise<boolean>,
): Promise<ExitCode> {
  return reportingMistakes(io, async () => {
    const derivation = await derive(input, io);
    for (const { message } of derivation.unserved) io.write(`${message}\n`, 'stderr');
    return derivation.sources.length > 0 && (await print(derivation)) && derivation.unserved.length === 0;
  });
}

async function derive(input: ModelInput, { environment, progress, directory }: Io): Promise<Derivation> {
  if (input.kind === 'files') return deriveFromFiles(input.files, input.overlay, progress);
  const file = input.file ?? projectFile(environment, directory);
  if (file === undefined)
    throw new GatewayError('NotFound', 'There is no project here. Name an OpenAPI file.');
  return deriveFromProject(file, environment, progress);
}

async function printModel(
  { output, earlier }: ModelCommand & { kind: 'model' },
  derivation: Derivation,
  { write }: Io,
): Promise<boolean> {
  const { sources, model, findings } = derivation;
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (earlier !== undefined) {
    const changes = compareMetadata(await earlierMetadata(earlier, writeCsdlJson), writeCsdlJson(model));
    write(
      output === 'report' ? writeChanges(changes) : `${JSON.stringify(changes, undefined, 2)}\n`,
      'stdout',
    );
    write(writeFindings(findingReports(errors, sources)), 'stderr');
    return errors.length === 0 && breakingMessages(changes).length === 0;
  }
  if (output === 'diagram') {
    write(writeDiagram(model), 'stdout');
    return errors.length === 0;
  }
  if (output === 'xml' || output === 'json') {
    write(writeMetadata(model, output), 'stdout');
    write(writeFindings(findingReports(errors, sources)), 'stderr');
  } else {
    const report = modelReport(derivation);
    write(output === 'report' ? writeReport(report) : `${JSON.stringify(report, undefined, 2)}\n`, 'stdout');
  }
  return errors.length === 0;
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

/** Parses the command line. Errors are printed with the usage. */
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

/** Prints the GraphQL schema of a service: the whole one, or the part that roles see. */
function printSchema(
  { roles }: ModelCommand & { kind: 'schema' },
  model: Model,
  { write, environment }: Io,
): boolean {
  const ids = environment['GRAPHQL_IDS'] === 'global' ? 'global' : 'upstream';
  const form = { ids, federation: environment['FEDERATION'] === 'on' } as const;
  write(schemaText(model, visibleModel(model, roles), form), 'stdout');
  return true;
}

/** The part of a model that the roles see; all of it without roles. */
function visibleModel(model: Model, roles: readonly string[]): Model {
  const known = grantedRoles(model);
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined) {
    const message = `Nothing is granted to the role ${JSON.stringify(unknown)}: ${rolesText(known)}.`;
    throw new GatewayError('NotFound', message);
  }
  return roles.length === 0 ? model : visibleModels(model)({ kind: 'user', id: '', roles });
}

function rolesText(known: readonly string[]): string {
  return known.length === 0 ? 'no role is granted anything' : `known are ${known.join(', ')}`;
}
