import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { officeDataConnection } from '../../src/web/connect/office-data-connection.ts';
import {
  curlText,
  graphQLText,
  javaScriptText,
  powerBiText,
  powerQueryText,
  pythonText,
  type Target,
  ui5Text,
} from '../../src/web/connect/program-texts.ts';
import { ACCESS, bearer, send, signUp } from '../auth/account-client.ts';
import { POSTS, postsApi, useGateway } from '../support/running-gateway.ts';

const run = promisify(execFile);
const gateway = useGateway(ACCESS);

const POSTS_TARGET: Target = {
  gateway: 'https://api.example.com/data/',
  entitySet: 'Post',
  key: 'duo_secret',
  query: '{ posts { id } }',
};
const OPEN: Target = { ...POSTS_TARGET, key: undefined };

describe('the texts for programs', () => {
  it.each([
    [
      'Power Query',
      powerQueryText(POSTS_TARGET),
      `let
  Source = OData.Feed("https://api.example.com/data/odata/Post", null, [Implementation = "2.0"])
in
  Source`,
    ],
    [
      'curl',
      curlText(POSTS_TARGET),
      "curl -H 'X-API-Key: duo_secret' 'https://api.example.com/data/odata/Post?$top=5'",
    ],
    ['curl without accounts', curlText(OPEN), "curl 'https://api.example.com/data/odata/Post?$top=5'"],
    [
      'GraphQL',
      graphQLText(POSTS_TARGET),
      `curl -H 'X-API-Key: duo_secret' -H 'Content-Type: application/json' \\
  -d '{"query":"{ posts { id } }"}' \\
  'https://api.example.com/data/graphql'`,
    ],
    [
      'Python',
      pythonText(POSTS_TARGET),
      `import pandas
import requests

headers = {"X-API-Key": "duo_secret"}
rows, url = [], "https://api.example.com/data/odata/Post"
while url:
    answer = requests.get(url, headers=headers, timeout=60)
    answer.raise_for_status()
    page = answer.json()
    rows += page["value"]
    url = page.get("@odata.nextLink")

print(pandas.DataFrame(rows))`,
    ],
    [
      'JavaScript without accounts',
      javaScriptText(OPEN),
      `const answer = await fetch('https://api.example.com/data/odata/Post?$top=5');
if (!answer.ok) throw new Error(await answer.text());
const { value } = await answer.json();
console.log(value);`,
    ],
  ])('say to %s what it takes', (_program, text, expected) => {
    expect(text).toBe(expected);
  });

  it('are files that Power BI and UI5 read', () => {
    expect(JSON.parse(powerBiText(POSTS_TARGET))).toStrictEqual({
      version: '0.1',
      connections: [
        {
          details: { protocol: 'odata', address: { url: 'https://api.example.com/data/odata/Post' } },
          options: {},
          mode: 'Import',
        },
      ],
    });
    expect(JSON.parse(ui5Text(POSTS_TARGET))).toStrictEqual({
      'sap.app': {
        dataSources: {
          main: {
            uri: 'https://api.example.com/data/odata/',
            type: 'OData',
            settings: { odataVersion: '4.0' },
          },
        },
      },
      'sap.ui5': {
        models: {
          '': { dataSource: 'main', settings: { operationMode: 'Server', autoExpandSelect: true } },
        },
      },
    });
  });

  it('are a connection that Excel opens, with the query in it', () => {
    const odd: Target = { ...POSTS_TARGET, gateway: 'https://x/a&b]]>#(lf)"/' };
    for (const target of [POSTS_TARGET, odd]) {
      const file = officeDataConnection(target);
      const mashup = unescapeMarkup(elementIn(file, 'odc:PowerQueryMashupData'));
      expect(unescapeMarkup(elementIn(mashup, 'Formula'))).toBe(powerQueryText(target));
      expect(elementIn(file, 'odc:CommandText')).toBe('SELECT * FROM [Post]');
      expect(mashup).toContain('<Query Name="Post">');
    }
  });

  it('leave no key in what is passed on', () => {
    for (const write of [powerQueryText, powerBiText, ui5Text, officeDataConnection]) {
      expect(write(POSTS_TARGET)).not.toContain('duo_secret');
    }
  });

  it('keep what has a meaning in their languages from having it', () => {
    const odd: Target = {
      gateway: 'https://x/#(lf)"\'/',
      entitySet: 'Größe',
      key: "a'; echo $HOME \\",
      query: '{ it\'s "x" }',
    };
    expect(powerQueryText(odd)).toContain('OData.Feed("https://x/#(#)(lf)""\'/odata/Gr%C3%B6%C3%9Fe",');
    expect(curlText(odd)).toContain("-H 'X-API-Key: a'\\''; echo $HOME \\'");
    expect(graphQLText(odd)).toContain(`-d '{"query":"{ it'\\''s \\"x\\" }"}'`);
    expect(javaScriptText(odd)).toContain("'X-API-Key': 'a\\'; echo $HOME \\\\'");
    expect(pythonText(odd)).toContain('headers = {"X-API-Key": "a\'; echo $HOME \\\\"}');
  });
});

function elementIn(text: string, name: string): string {
  return new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(text)?.[1] ?? '';
}

function unescapeMarkup(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}

/** Each is run as it is shown, with the key that is made for it. */
describe('the commands', () => {
  let target: Target;
  beforeAll(async () => {
    gateway.upstream.behave(postsApi);
    const { session } = await signUp(gateway, 'anna@example.com');
    const landing = await gateway.fetch('/', { headers: { accept: 'application/json', ...bearer(session) } });
    const [set] = JSON.parse(landing.text).entitySets;
    expect(set.connection).toStrictEqual({
      entitySets: ['Post'],
      query: '{ posts(take: 5) { id userId title body } }',
    });
    const key = { name: 'Excel: Post', expiresInDays: 90, scope: { Post: ['View'] } };
    const made = await send(gateway, '/keys', key, bearer(session));
    const { query } = set.connection;
    target = { gateway: `${gateway.url}/`, entitySet: 'Post', key: JSON.parse(made.text).key, query };
  });
  const IDS = POSTS.map(({ id }) => String(id));

  it('read by curl', async () => {
    const { stdout } = await run('sh', ['-c', `${curlText(target)} -s`]);
    expect(JSON.parse(stdout).value.map(({ Id }: { Id: string }) => Id)).toStrictEqual(IDS);
  });

  it('read by curl in GraphQL', async () => {
    const { stdout } = await run('sh', ['-c', `${graphQLText(target)} -s`]);
    expect(JSON.parse(stdout).data.posts.map(({ id }: { id: string }) => id)).toStrictEqual(IDS);
  });

  it('read by JavaScript', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', javaScriptText(target)]);
    expect([...stdout.matchAll(/Id: '(\d+)'/g)].map(([, id]) => id)).toStrictEqual(IDS);
  });
});
