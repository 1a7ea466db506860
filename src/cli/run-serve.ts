import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type Environment, readConfig } from '../config/config.ts';
import { ADMINISTRATOR, USER } from '../contract/principal.ts';
import { grantedRoles } from '../model/resource-grants.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { deriveFromProject } from './derive-model.ts';
import { projectFile, withSettings } from './project-environment.ts';
import type { ServeCommand } from './serve-options.ts';
import { placeEnvironment } from './served-files.ts';

const NO_PROJECT = `There is no project here. Name an OpenAPI file, its URL or a folder, create a project with duogate init,
or see what Duogate does with duogate demo.
`;

type Serve = Extract<ServeCommand, { kind: 'serve' }>;

/** Serves the documents of the command. Variables of the process override settings in files. */
export async function runServe(command: Serve, io: Io, variables: Environment): Promise<ExitCode> {
  const { place, upstream, opensBrowser } = command;
  const serve = async (environment: Environment): Promise<string> => {
    const url = await io.serve(environment);
    if (opensBrowser) openBrowser(url);
    return url;
  };
  if (place === undefined) {
    if (projectFile(io.environment, io.directory) === undefined) {
      io.write(NO_PROJECT, 'stderr');
      return 1;
    }
    await serve({ ...io.environment, ...settingsOf(command) });
    return 0;
  }
  return reportingMistakes(io, async () => {
    const found = await placeEnvironment({ place, upstream }, io.directory);
    const environment = {
      ...withSettings({ LOG_LEVEL: 'warn', ...io.environment, ...found }, variables),
      MESH_CONFIG: found['MESH_CONFIG'],
      ...settingsOf(command),
    };
    const lines = await announcement(environment, io.progress);
    io.progress?.(`Starting to serve ${place}`);
    const url = await serve(environment);
    const text = `Duogate serves ${place} at ${url}/\n\n${lines.join('\n')}\n`;
    io.write(text.replaceAll('{url}', url), 'stdout');
    return true;
  });
}

function settingsOf({ port, auth }: Serve): Environment {
  return {
    ...(port === undefined ? {} : { PORT: port }),
    ...(auth === undefined ? {} : { AUTH: auth }),
  };
}

const SHOWN_SETS = 10;

/** A summary of the service and of the sign-in; creates the first account if needed. */
async function announcement(environment: Environment, progress: Io['progress']): Promise<readonly string[]> {
  const config = readConfig(environment);
  const { model } = await deriveFromProject(config.meshConfig, environment, progress);
  const sets = [...model.entitySets.keys()];
  const [set = '$metadata'] = sets;
  const more = sets.length > SHOWN_SETS ? ` and ${sets.length - SHOWN_SETS} more` : '';
  const served = `  Tables    ${sets.slice(0, SHOWN_SETS).join(', ') || 'none'}${more}`;
  if (config.auth.mode === 'off') {
    return [served, '  Access    everyone on this machine', '', `  curl '{url}/odata/${set}?$top=1'`];
  }
  const isGranted = grantedRoles(model).length > 0;
  return [
    served,
    ...(isGranted ? [] : ["  Access    nobody can use them yet: duogate grant User '*' View"]),
    ...(await firstAccount(config, set)),
  ];
}

const EMAIL = 'admin@example.com';

/** The lines about a new first account; empty if there are accounts already. */
async function firstAccount(config: ReturnType<typeof readConfig>, set: string): Promise<readonly string[]> {
  const { awaitAdministration } = await import('../composition/auth-module.ts');
  const administration = await awaitAdministration(config);
  try {
    if ((await administration.listUsers()).length > 0) return [];
    const password = randomBytes(15).toString('base64url');
    await administration.addUser({ email: EMAIL, name: 'Admin', password, roles: [USER, ADMINISTRATOR] });
    const key = await administration.createKey(EMAIL, { name: 'The first key' });
    return [
      `  Account   ${EMAIL}, password ${password}`,
      `  API key   ${key}`,
      '',
      `  curl -H 'X-API-Key: ${key}' '{url}/odata/${set}?$top=1'`,
    ];
  } finally {
    await administration.close();
  }
}

/** Ignores a missing browser. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
