import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { STATE_FOLDER } from '../registry/folder/api-folder.ts';
import type { Io } from './command-io.ts';

/**
 * The environment with what the working directory says beneath it: the project's `.env` and, where there is no
 * project, that of the document which was served last.
 */
export function projectEnvironment(environment: Environment, directory: string): Environment {
  const project = environment['MESH_CONFIG'] || existsSync(join(directory, '.meshrc.yaml'));
  const beneath = project ? fileEnvironment(directory) : stateEnvironment(join(directory, STATE_FOLDER));
  return withSettings(beneath, environment);
}

/**
 * What a command knows of the project that it is for. Throws where there is none, or a setting is wrong; what only
 * matters to those who serve need not be set.
 */
export function readCommandConfig({ environment, directory }: Pick<Io, 'environment' | 'directory'>): Config {
  return readConfig({ ...environment, AUTH: 'off', HOST: '' }, directory);
}

/** Settings with others above them, as far as these are not empty. */
export function withSettings(beneath: Environment, environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ...beneath, ...Object.fromEntries(given) };
}

/** The file of the project that is served without further words; undefined where there is none. */
export function projectFile(environment: Environment, directory: string): string | undefined {
  const own = join(directory, '.meshrc.yaml');
  return environment['MESH_CONFIG'] || (existsSync(own) ? own : undefined);
}

/** The settings in the `.env` of a folder. */
export function fileEnvironment(directory: string): Environment {
  const file = join(directory, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** The settings of what is served without a project; none where nothing has been. */
export function stateEnvironment(folder: string): Environment {
  const [project, secret] = [join(folder, '.meshrc.yaml'), join(folder, 'secret')];
  if (!existsSync(project) || !existsSync(secret)) return {};
  return {
    MESH_CONFIG: project,
    DATABASE_URL: join(folder, 'accounts.sqlite'),
    AUTH_SECRET: readFileSync(secret, 'utf8').trim(),
  };
}
