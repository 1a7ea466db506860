import { parseArgs } from 'node:util';
import { SAMPLE_APIS, type SampleApi } from './sample-api.ts';

export const USAGE = `Usage: npm run demo -- [--api posts|library]

Serves a sample API as OData and as GraphQL, on this machine only, to an account made for the demo.

  --api posts     short texts that can be read and created: the default
  --api library   authors, books, members and loans, with everything that a model can have
  --help          this text

PORT is the port to listen on. Without it, it is 4000 or the next one that is free.
`;

export type DemoCommand =
  | { readonly kind: 'run'; readonly api: SampleApi }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export function readDemoCommand(args: readonly string[]): DemoCommand {
  try {
    const options = {
      api: { type: 'string', default: SAMPLE_APIS[0].name },
      help: { type: 'boolean' },
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { kind: 'help' };
    const api = SAMPLE_APIS.find(({ name }) => name === values.api);
    if (api !== undefined) return { kind: 'run', api };
    return { kind: 'mistake', message: `There is no sample API named ${JSON.stringify(values.api)}.` };
  } catch (error) {
    return { kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
}
