import { describe, expect, it, onTestFinished } from 'vitest';
import { outcome } from './cli/command.ts';
import { startStandInUpstream } from './support/stand-in-upstream.ts';
import { createProject, serveProject, type TemporaryProject } from './support/temporary-project.ts';

const NOTE = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' } },
  'x-odata': { grants: { User: ['View'] } },
};
const ANSWER = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

/** A document whose operations let in who has what the security schemes ask for. */
function documentAsking(securitySchemes: object, security: readonly object[]): object {
  const note = { $ref: '#/components/schemas/Note' };
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes': { get: { operationId: 'notes', responses: ANSWER({ type: 'array', items: note }) } },
      '/notes/{id}': { get: { operationId: 'note', parameters: [ID], responses: ANSWER(note) } },
    },
    components: { schemas: { Note: NOTE }, securitySchemes },
    security,
  };
}

type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function startUpstream() {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    reply.json(target.includes('/notes/') ? { id: '1' } : [{ id: '1' }]);
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

function projectOf(document: object, endpoint: string, settings: Settings = {}): TemporaryProject {
  const openapi = { source: './api.json', endpoint, ...settings };
  return createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Notes', handler: { openapi } }] }),
    'api.json': JSON.stringify(document),
  });
}

interface Credential {
  readonly name: string;
  readonly isGiven: boolean;
  readonly setting?: { readonly section: string; readonly name: string; readonly value: string };
}

/** The report of `duogate model --project` on the only source's credentials. */
async function credentialsOf({ path }: TemporaryProject, environment: Readonly<Record<string, string>> = {}) {
  const { stdout } = await outcome(['model', '--json', '--project', path('.meshrc.yaml')], environment);
  const { sources } = JSON.parse(stdout) as {
    readonly sources: readonly {
      readonly credentials: readonly Credential[];
      readonly asking: number;
      readonly unmet: number;
    }[];
  };
  const [source] = sources;
  if (source === undefined) throw new Error('expected a source');
  return source;
}

const OAUTH_FLOWS = { clientCredentials: { tokenUrl: 'https://auth.example/token', scopes: {} } };

/** A security scheme, the variable that gives its credential, and what then reaches the upstream. */
const KINDS: readonly (readonly [object, variable: string, value: string, sent: object])[] = [
  [
    { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    'NOTES_X_API_KEY',
    'k1',
    { headers: { 'x-api-key': 'k1' } },
  ],
  [
    { type: 'apiKey', in: 'query', name: 'api_key' },
    'NOTES_API_KEY',
    'k&2',
    { target: '/notes?api_key=k%262' },
  ],
  [
    { type: 'apiKey', in: 'cookie', name: 'session' },
    'NOTES_SESSION',
    'k3',
    { headers: { cookie: 'session=k3' } },
  ],
  [{ type: 'http', scheme: 'bearer' }, 'NOTES_TOKEN', 'k4', { headers: { authorization: 'Bearer k4' } }],
  [{ type: 'http', scheme: 'Basic' }, 'NOTES_BASIC', 'dTpw', { headers: { authorization: 'Basic dTpw' } }],
  [{ type: 'oauth2', flows: OAUTH_FLOWS }, 'NOTES_TOKEN', 'k5', { headers: { authorization: 'Bearer k5' } }],
  [
    { type: 'openIdConnect', openIdConnectUrl: 'https://auth.example/.well-known/openid-configuration' },
    'NOTES_TOKEN',
    'k6',
    { headers: { authorization: 'Bearer k6' } },
  ],
];

describe('a credential', () => {
  it.each(KINDS)(
    'of %j reaches the upstream by the setting that is proposed',
    async (scheme, name, value, sent) => {
      const upstream = await startUpstream();
      const document = documentAsking({ Key: scheme }, [{ Key: [] }]);
      const { credentials, ...before } = await credentialsOf(projectOf(document, upstream.url));
      expect([before.asking, before.unmet]).toStrictEqual([2, 2]);
      const setting = credentials[0]?.setting;
      if (setting === undefined) throw new Error('expected a setting');
      expect(setting.value).toContain(`{env.${name}}`);

      const settings = { [setting.section]: { [setting.name]: setting.value } };
      const project = projectOf(document, upstream.url, settings);
      const after = await credentialsOf(project, { [name]: value });
      expect([after.unmet, after.credentials[0]?.isGiven]).toStrictEqual([0, true]);
      const gateway = await serveProject(project, { [name]: value });
      await gateway.json('/odata/Note');
      expect(upstream.requests.at(-1)).toMatchObject(sent);
      expect(JSON.stringify(gateway.entries())).not.toContain(value);
    },
  );

  it('whose variable is not set is missed before anything starts', async () => {
    const document = documentAsking({ Key: { type: 'http', scheme: 'bearer' } }, [{ Key: [] }]);
    const settings = { operationHeaders: { authorization: 'Bearer {env.NOTES_TOKEN}' } };
    const project = projectOf(document, 'http://127.0.0.1:1', settings);
    const mistake = /operationHeaders\.authorization" needs the variable NOTES_TOKEN/;
    await expect(serveProject(project)).rejects.toThrow(mistake);
    await expect(serveProject(project, { NOTES_TOKEN: '' })).rejects.toThrow(mistake);
    const { code, stderr } = await outcome(['model', '--project', project.path('.meshrc.yaml')]);
    expect([code, stderr]).toStrictEqual([1, expect.stringMatching(mistake)]);
  });
});

const TWO = {
  Key: { type: 'apiKey', in: 'header', name: 'x-key' },
  Token: { type: 'http', scheme: 'bearer' },
};
const KEY = { operationHeaders: { 'X-Key': 'k' } };

const LOGGED: readonly (readonly [string, readonly object[], Settings, object | undefined])[] = [
  ['nothing where nothing is asked for', [], {}, undefined],
  ['nothing where the credential is a choice', [{ Key: [] }, {}], {}, undefined],
  [
    'what is missing',
    [{ Key: [] }],
    {},
    { level: 'warn', missing: ['Key: API key in the header x-key', 'Token: HTTP Bearer token'], unmet: 2 },
  ],
  ['that one of two is enough', [{ Token: [] }, { Key: [] }], KEY, { level: 'info', unmet: 0 }],
  ['that both are needed', [{ Token: [], Key: [] }], KEY, { level: 'warn', unmet: 2 }],
  ['that it is none of those described', [{ Other: [] }], KEY, { level: 'warn', unmet: 2 }],
  [
    'that another kind of credential is given',
    [{ Token: [] }],
    { operationHeaders: { authorization: 'Basic dTpw' } },
    { level: 'warn', unmet: 2 },
  ],
];

describe('the log', () => {
  it.each(LOGGED)('says of credentials %s', async (_, security, settings, expected) => {
    const project = projectOf(documentAsking(TWO, security), 'http://127.0.0.1:1', settings);
    const gateway = await serveProject(project);
    const found = gateway.entries().filter((entry) => 'unmet' in entry);
    expect(found).toHaveLength(expected === undefined ? 0 : 1);
    if (expected !== undefined)
      expect(found[0]).toMatchObject({ source: 'Notes', operations: 2, ...expected });
  });
});
