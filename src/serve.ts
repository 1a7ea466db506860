import { type Gateway, startGateway } from './app.ts';
import { type Environment, readConfig } from './config/config.ts';
import { strayVariables } from './config/stray-variables.ts';
import { GatewayError } from './contract/gateway-error.ts';
import { countBodiesWithHeap } from './server/server-limits.ts';
import { exitOnSignal } from './server/shutdown.ts';

/** Serves until a signal stops the process. Throws if it cannot start, see {@link startFailure}. */
export async function serve(environment: Environment): Promise<Gateway> {
  countBodiesWithHeap();
  const config = readConfig(environment);
  const gateway = await startGateway(config);
  for (const { name, nearest } of strayVariables(environment)) {
    gateway.log.warn(
      { variable: name, nearest },
      'this environment variable is not a setting: it may be misspelled',
    );
  }
  const close = () => gateway.close(config.limits.shutdownLeaveMs);
  exitOnSignal({ close, look: gateway.look }, gateway.log);
  return gateway;
}

/** The message of an error that operators can fix, or the stack of an internal error. */
export function startFailure(error: unknown): string {
  if (error instanceof AggregateError || error instanceof GatewayError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  const place = LISTENING[code ?? ''];
  return place === undefined ? (error.stack ?? error.message) : place(port ?? 0, address ?? '');
}

const LISTENING: Readonly<Record<string, (port: number, address: string) => string>> = {
  EADDRINUSE: (port) =>
    `Port ${port} is in use. Stop the program that listens there, or set PORT to another port.`,
  EACCES: (port) =>
    `Port ${port} cannot be used: ports below 1024 are reserved for the system. Set PORT to another port.`,
  EADDRNOTAVAIL: (_, address) => `HOST is ${address}, which is not an address of this machine.`,
};
