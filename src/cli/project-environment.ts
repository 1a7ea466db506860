import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { STATE_FOLDER } from '../registry/folder/api-folder.ts';
import type { Io } from './command-io.ts';

/**
 * The environment with defaults from the working directory: the project's `.env`, or without a project that
 * of the last served document.
 */
export function projectEnvironment(environment: Environment, directory: string): Environment {
  const project = environment['MESH_CONFIG'] || existsSync(join(directory, '.meshrc.yaml'));
  const beneath = project ? fileEnvironment(directory) : stateEnvironment(join(directory, STATE_FOLDER));
  return withSettings(beneath, environment);
}

/**
 * The configuration for a command on the project. Throws without a project or for an invalid setting;
 * settings for serving are optional.
 */
export function readCommandConfig({ environment, directory }: Pick<Io, 'environment' | 'directory'>): Config {
  return readConfig({ ...environment, AUTH: 'off', HOST: '' }, directory);
}

/** Merges settings; empty ones do not override. */
export function withSettings(beneath: Environment, environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ...beneath, ...Object.fromEntries(given) };
}

/** The default project file, if any. */
export function projectFile(environment: Environment, directory: string): string | undefined {
  const own = join(directory, '.meshrc.yaml');
  return environment['MESH_CONFIG'] || (existsSync(own) ? own : undefined);
}

/** The settings in a folder's `.env`. */
export function fileEnvironment(directory: string): Environment {
  const file = join(directory, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** The settings of documents served without a project; empty if nothing was served. */
export function stateEnvironment(folder: string): Environment {
  const [project, secret] = [join(folder, '.meshrc.yaml'), join(folder, 'secret')];
  if (!existsSync(project) || !existsSync(secret)) return {};
  return {
    MESH_CONFIG: project,
    DATABASE_URL: join(folder, 'accounts.sqlite'),
    AUTH_SECRET: readFileSync(secret, 'utf8').trim(),
  };
}
