import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run demo -- [--api posts]

Serves a sample API as OData and as GraphQL, without accounts, on this machine only.

  --api posts   the sample API: posts is the only one, and the default
  --help        this text

PORT is the port to listen on. Without it, it is 4000 or the next one that is free.
`;

export type DemoCommand =
  | { readonly kind: 'run' }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export function readCommand(args: readonly string[]): DemoCommand {
  try {
    const options = { api: { type: 'string', default: 'posts' }, help: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { kind: 'help' };
    if (values.api === 'posts') return { kind: 'run' };
    return { kind: 'mistake', message: `There is no sample API named ${JSON.stringify(values.api)}.` };
  } catch (error) {
    return { kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
}
