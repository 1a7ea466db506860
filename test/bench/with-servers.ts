import { createProject } from '../support/temporary-project.ts';
import { type MeteredServer, startServer } from './metered-server.ts';
import { ACCOUNTS, signedIn } from './signed-in.ts';

interface Wanted<Name extends string> {
  /** The names of the servers that the gateway is compared with. */
  readonly others: readonly Name[];
  /** The name of another server than that of the posts. */
  readonly upstream?: string;
  /** The files of what the gateway serves, if not the posts. */
  readonly project?: (upstreamUrl: string) => Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

type Servers<Name extends string> = Readonly<Record<Name | 'upstream' | 'gateway', MeteredServer>>;

/** Starts an upstream, a gateway with a signed-in user, and the servers it is compared with; stops them after the work. */
export async function withServers<Name extends string, Result>(
  { others, upstream: upstreamName = 'upstream', project, environment }: Wanted<Name>,
  work: (servers: Servers<Name>) => Promise<Result>,
): Promise<Result> {
  const ends: (() => void | Promise<void>)[] = [];
  const start = async (name: string, variables: Readonly<Record<string, string>>) => {
    const server = await startServer(name, variables);
    ends.unshift(server.stop);
    return server;
  };
  try {
    const upstream = await start(upstreamName, {});
    const common = { UPSTREAM_URL: upstream.url, PORT: '0', HOST: '127.0.0.1' };
    const files = project?.(upstream.url);
    const served = files && createProject(files, (remove) => void ends.push(remove)).path('.meshrc.yaml');
    const gateway = await start('gateway', {
      ...common,
      ...ACCOUNTS,
      ...(served !== undefined && { MESH_CONFIG: served }),
      ...environment,
    });
    const servers: Record<string, MeteredServer> = { upstream, gateway: await signedIn(gateway) };
    for (const name of others) servers[name] = await start(name, common);
    return await work(servers as Servers<Name>);
  } finally {
    for (const end of ends) await end();
  }
}
