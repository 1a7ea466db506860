/**
 * The package for programs: {@link startGateway} listens, {@link mountGateway} returns a handler for another
 * server. Both take a configuration from {@link readConfig}.
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
