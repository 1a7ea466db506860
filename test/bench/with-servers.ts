import { ACCOUNTS, loggedIn } from './logged-in.ts';
import { type MeteredServer, startServer } from './metered-server.ts';

type Servers<Name extends string> = Readonly<Record<Name | 'upstream' | 'gateway', MeteredServer>>;

/** Starts an upstream, a gateway with a signed-in user, and the servers it is compared with; stops them after the work. */
export async function withServers<Name extends string, Result>(
  others: readonly Name[],
  environment: Readonly<Record<string, string>>,
  work: (servers: Servers<Name>) => Promise<Result>,
): Promise<Result> {
  const upstream = await startServer('upstream');
  const common = { UPSTREAM_URL: upstream.url, PORT: '0', HOST: '127.0.0.1' };
  const started = [upstream];
  try {
    const gateway = await startServer('gateway', { ...common, ...ACCOUNTS, ...environment });
    started.push(gateway);
    const servers: Record<string, MeteredServer> = { upstream, gateway: await loggedIn(gateway) };
    for (const name of others) {
      const server = await startServer(name, common);
      started.push(server);
      servers[name] = server;
    }
    return await work(servers as Servers<Name>);
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}
