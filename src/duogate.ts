/**
 * The package, for programs: {@link startGateway} listens, {@link mountGateway} gives a handler to mount into a
 * server of one's own. Both take what {@link readConfig} makes of the variables that the command takes from the
 * environment.
 */
import { assertNode } from './node-version.ts';

export type { Gateway, MountedGateway } from './app.ts';
export type { Config, Environment } from './config/config.ts';

assertNode((message) => {
  throw new Error(message);
});
const { mountGateway, startGateway } = await import('./app.ts');
const { readConfig } = await import('./config/config.ts');

export { mountGateway, readConfig, startGateway };
