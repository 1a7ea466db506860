import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outcome } from '../../cli/command.ts';
import { type Behaviour, startStandInUpstream } from '../../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../../support/temporary-project.ts';
import { asking, notesDocument, notesProject, serveNotes } from './notes-scene.ts';

const CERTIFICATES = join(import.meta.dirname, '../../support/certificates');
const pem = (name: string): string => readFileSync(join(CERTIFICATES, `${name}.pem`), 'utf8');

describe('basic', () => {
  it('is user and password in UTF-8 (RFC 7617, 2.1)', async () => {
    const scene = await serveNotes(
      { basic: { user: 'änne', password: '{env.NOTES_PASSWORD}' } },
      { environment: { NOTES_PASSWORD: 'a:b c' } },
    );
    expect((await scene.get('Note'))[0]).toBe(200);
    const expected = Buffer.from('änne:a:b c').toString('base64');
    expect(scene.authorizations()).toStrictEqual([`Basic ${expected}`]);
    expect(JSON.stringify(scene.served.entries())).not.toContain(expected);
  });
});

describe('a value from a file', () => {
  it('is filled in without the line breaks at its end, and read again when it changes', async () => {
    const scene = await serveNotes(
      { basic: { user: 'anna', password: '{file:./secrets/password}' } },
      {
        files: { 'secrets/password': 'old\r\n' },
      },
    );
    const sent = (password: string): string => `Basic ${Buffer.from(`anna:${password}`).toString('base64')}`;
    await scene.get('Note');
    expect(scene.authorizations()).toStrictEqual([sent('old')]);
    scene.project.replace('secrets/password', 'new\n');
    await expect
      .poll(
        async () => {
          await scene.get('Note');
          return scene.authorizations().at(-1);
        },
        { timeout: 20_000 },
      )
      .toBe(sent('new'));
  });

  it('may be a header field or a query parameter of the project file', async () => {
    const upstream = await startStandInUpstream((_, reply) => reply.json([]));
    onTestFinished(() => upstream.close());
    const project = notesProject(upstream.url, {});
    const key = project.path('key');
    project.write('key', 'k1\n');
    const openapi = {
      source: './notes.json',
      endpoint: upstream.url,
      operationHeaders: { authorization: `Bearer {file:${key}}` },
      queryParams: { key: '{file:key}' },
    };
    project.write('.meshrc.yaml', JSON.stringify({ sources: [{ name: 'Notes', handler: { openapi } }] }));
    await asking((await serveProject(project)).gateway).get('Note');
    expect(upstream.requests[0]).toMatchObject({
      target: '/notes?key=k1',
      headers: { authorization: 'Bearer k1' },
    });
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['that is not there', {}, 'The file cannot be read: there is no file of that name.'],
    ['that is empty', { password: '\n' }, 'it is empty'],
    ['that is a directory', { 'password/other': '' }, 'It is a directory, not a file.'],
    ['that is long', { password: 'x'.repeat(65_537) }, 'it is longer than 65536 characters'],
  ])('%s is a mistake that names it', async (_, files, reason) => {
    const project = notesProject('http://127.0.0.1:1', { basic: { user: 'a', password: '{file:password}' } });
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    await expect(serveProject(project)).rejects.toThrow(
      `credentials.yaml: "Notes.basic.password" needs the file ${project.path('password')}: ${reason}`,
    );
  });

  it('that goes away later leaves what is served as it is, and the log says why', async () => {
    const scene = await serveNotes(
      { basic: { user: 'anna', password: '{file:password}' } },
      {
        files: { password: 'old' },
      },
    );
    scene.project.write('password', '');
    await expect
      .poll(() => JSON.stringify(scene.served.entries()), { timeout: 20_000 })
      .toContain(`needs the file ${scene.project.path('password')}: it is empty`);
    expect((await scene.get('Note'))[0]).toBe(200);
  });
});

describe('a client certificate', () => {
  const own = {
    cert: `{file:${CERTIFICATES}/client.pem}`,
    key: `{file:${CERTIFICATES}/client-key-encrypted.pem}`,
    passphrase: '{env.NOTES_PASSPHRASE}',
    ca: `{file:${CERTIFICATES}/ca.pem}`,
  };
  const environment = { NOTES_PASSPHRASE: 'correct-horse' };

  /** An upstream that answers with who it takes the gateway for. */
  async function startTlsUpstream(): Promise<string> {
    const server = createServer(
      {
        cert: pem('server'),
        key: pem('server-key'),
        ca: pem('ca'),
        requestCert: true,
        rejectUnauthorized: true,
      },
      (request, response) => {
        const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify([{ id: CN }]));
      },
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('says who the gateway is, and who vouches for the upstream', async () => {
    const project = notesProject(await startTlsUpstream(), { certificate: own });
    const served = await serveProject(project, environment);
    expect(await asking(served.gateway).get('Note')).toMatchObject([200, { value: [{ Id: 'client' }] }]);
  });

  it('is needed by such an upstream', async () => {
    const project = notesProject(await startTlsUpstream(), {});
    const served = await serveProject(project, environment);
    expect((await asking(served.gateway).get('Note'))[0]).toBe(502);
  });

  it.each<readonly [string, object, string]>([
    ['that is none', { ...own, cert: 'none' }, '"Notes.certificate" cannot be used: '],
    ['with the wrong passphrase', { ...own, passphrase: 'wrong' }, '"Notes.certificate" cannot be used: '],
    ['without a key', { ...own, key: undefined }, '"Notes.certificate.key" is missing'],
  ])('%s is a mistake', async (_, certificate, mistake) => {
    const project = notesProject('https://127.0.0.1:1', { certificate });
    await expect(serveProject(project, environment)).rejects.toThrow(mistake);
  });

  it('without TLS is a mistake', async () => {
    const project = notesProject('http://127.0.0.1:1', { certificate: own });
    await expect(serveProject(project, environment)).rejects.toThrow(
      'must be an https URL: Notes is called with a client certificate',
    );
  });
});

const SECRET = 'never-told';
const CLIENT = { clientId: 'a', clientSecret: SECRET };

/** The settings for `Notes` in the file, and the mistake in them. */
const MISTAKES: readonly (readonly [object | string, string])[] = [
  ['Notes: [', 'credentials.yaml: it cannot be read'],
  ['[]', 'credentials.yaml: it must hold a mapping, by the names of sources'],
  ['notes: {}', 'credentials.yaml: "notes" is not a source; there is one named "Notes"'],
  ['Notes: 1', 'credentials.yaml: "Notes" must be a mapping'],
  [{ oauth: CLIENT }, '"Notes.oauth" is not served; known are endpoint, basic, clientCredentials'],
  [
    { basic: { user: 'a', password: SECRET }, userKey: { header: 'k' } },
    '"Notes" has basic and userKey: one of them lets the gateway in',
  ],
  [{ basic: { user: 'a:b', password: SECRET } }, '"Notes.basic.user" must have no colon'],
  [{ basic: { user: 'a' } }, '"Notes.basic.password" is missing'],
  [{ basic: { user: '', password: SECRET } }, '"Notes.basic.user" must not be empty'],
  [{ basic: { user: 5, password: SECRET } }, '"Notes.basic.user" must be a string'],
  [{ basic: { user: '{env.NOBODY}', password: SECRET } }, 'needs the variable NOBODY'],
  [
    { basic: { user: '{context.user}', password: SECRET } },
    'has {context.user}; only {env.NAME} and {file:PATH} are filled in',
  ],
  [{ clientCredentials: CLIENT }, 'Notes: clientCredentials needs a tokenUrl: the document has none for it'],
  [
    { clientCredentials: { ...CLIENT, tokenUrl: 'ftp://a' } },
    '"Notes.clientCredentials.tokenUrl" must be an absolute http or https URL',
  ],
  [{ clientCredentials: { ...CLIENT, tokenUrl: 'https://a:b@c' } }, 'must not hold credentials'],
  [{ clientCredentials: { ...CLIENT, tokenUrl: 'https://a#b' } }, 'must not have a fragment'],
  [
    { clientCredentials: { ...CLIENT, scopes: 'a b' } },
    '"Notes.clientCredentials.scopes" must be a list of words',
  ],
  [{ clientCredentials: { ...CLIENT, authentication: 'jwt' } }, 'must be one of basic, post, certificate'],
  [{ clientCredentials: { clientId: 'a' } }, '"Notes.clientCredentials.clientSecret" is missing'],
  [{ refreshToken: CLIENT }, '"Notes.refreshToken.token" is missing'],
  [{ tokenExchange: CLIENT }, '"Notes.tokenExchange.issuer" is missing'],
  [{ forwardedToken: { issuer: 'a' } }, '"Notes.forwardedToken.audience" is missing'],
  [{ userKey: {} }, '"Notes.userKey.header" or "query" must say where the key goes, and not both'],
  [{ userKey: { header: 'k', query: 'k' } }, 'must say where the key goes, and not both'],
  [{ userKey: { header: 'content-length' } }, 'is set by the connection'],
  [{ awsSignature: { region: 'a', service: 'b' } }, '"Notes.awsSignature.accessKeyId" is missing'],
  [{ awsSignature: { region: 'a/b', service: 'b' } }, '"Notes.awsSignature.region" must be one word'],
  [
    { awsSignature: { region: 'a', service: 'b', key: 'user', accessKeyId: 'c' } },
    '"Notes.awsSignature.accessKeyId" must not be given: each user stores a key',
  ],
  [
    { messageSignature: { keyId: 'a\nb', secret: SECRET } },
    '"Notes.messageSignature.keyId" has characters that no header field can have',
  ],
  [
    { messageSignature: { keyId: 'a', secret: SECRET, components: ['@method', '@METHOD'] } },
    '"Notes.messageSignature.components" must name header fields, or components of RFC 9421, 2.2, each once',
  ],
  [
    { messageSignature: { keyId: 'a', secret: SECRET, components: ['@query-param'] } },
    '"Notes.messageSignature.components" must name',
  ],
  [{ digest: { user: 'a:b', password: SECRET } }, '"Notes.digest.user" must have no colon'],
  [{ userKey: { header: 'X-Own' } }, 'operationHeaders.x-own" is sent for the credentials of Notes, too'],
  [{ userKey: { query: 'own' } }, 'queryParams.own" is sent for the credentials of Notes, too'],
  [
    { endpoint: 'https://elsewhere.example' },
    'is not https://elsewhere.example, for which the credentials of Notes are meant',
  ],
];

describe('a file of credentials', () => {
  it.each(MISTAKES)('%j is refused with words', async (settings, mistake) => {
    const project = notesProject('http://127.0.0.1:1', {});
    const openapi = {
      source: './notes.json',
      endpoint: 'http://127.0.0.1:1',
      operationHeaders: { 'X-Own': 'a' },
      queryParams: { own: 'a' },
    };
    project.write('.meshrc.yaml', JSON.stringify({ sources: [{ name: 'Notes', handler: { openapi } }] }));
    project.write(
      'credentials.yaml',
      typeof settings === 'string' ? settings : JSON.stringify({ Notes: settings }),
    );
    const failure: unknown = await serveProject(project).catch((error: unknown) => error);
    expect(String(failure)).toContain(mistake);
    expect(String(failure)).not.toContain(SECRET);
  });

  it.each<readonly [string, object, string]>([
    ['several', { A: 'https://a.example/token', B: 'https://b.example/token' }, 'the document has several'],
    ['one that is none', { A: 'mailto:a@b' }, "the document's must be an absolute http or https URL"],
  ])('does not guess which token URL of a document is meant: %s', async (_, urls, mistake) => {
    const schemes = Object.entries(urls).map(([name, tokenUrl]) => [
      name,
      { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
    ]);
    const document = notesDocument(Object.fromEntries(schemes));
    const project = notesProject('http://127.0.0.1:1', { clientCredentials: CLIENT }, document);
    await expect(serveProject(project)).rejects.toThrow(`needs a tokenUrl: ${mistake}`);
  });

  it('does not send a secret without TLS because a document says so', async () => {
    const flows = { clientCredentials: { tokenUrl: 'http://a.example/token', scopes: {} } };
    const document = notesDocument({ A: { type: 'oauth2', flows } });
    const project = notesProject('https://api.example', { clientCredentials: CLIENT }, document);
    await expect(serveProject(project)).rejects.toThrow('must be an https URL, as the endpoint is');
  });

  it('may have what is about an API that is not in the project', async () => {
    const scene = await serveNotes({});
    scene.project.write('credentials.yaml', JSON.stringify({ Other: { basic: { user: '{env.NONE}' } } }));
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(JSON.stringify(scene.served.entries())).not.toContain('cannot be served');
  });

  it('is named after the project file', async () => {
    const upstream = await startStandInUpstream((_, reply) => reply.json([]));
    onTestFinished(() => upstream.close());
    const openapi = { source: './notes.json', endpoint: upstream.url };
    const project = createProject({
      'notes.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Notes', handler: { openapi } }] }),
      'notes.credentials.yaml': JSON.stringify({ Notes: { basic: { user: 'a', password: 'b' } } }),
      'notes.json': JSON.stringify(notesDocument()),
    });
    const served = await serveProject(project, { MESH_CONFIG: project.path('notes.meshrc.yaml') });
    await asking(served.gateway).get('Note');
    expect(upstream.requests[0]?.headers['authorization']).toBe('Basic YTpi');
  });
});

describe('duogate model', () => {
  const schemes = {
    Server: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://auth.example/token', scopes: { read: '' } } },
    },
    Key: { type: 'apiKey', in: 'query', name: 'key' },
    Certificate: { type: 'mutualTLS' },
  };
  const security = [{ Server: [] }, { Key: [] }, { Certificate: [] }];

  it.each<readonly [string, string, object]>([
    ['Server', 'https://a.example', { clientCredentials: CLIENT }],
    ['Key', 'https://a.example', { userKey: { query: 'key' } }],
    ['Certificate', 'https://a.example', { certificate: { cert: pem('server'), key: pem('server-key') } }],
  ])('says that the file gives %s, and not what', async (name, endpoint, settings) => {
    const project = notesProject(endpoint, settings, notesDocument(schemes, security));
    const args = ['model', '--project', project.path('.meshrc.yaml')];
    const { stdout } = await outcome([...args, '--json']);
    const [source] = JSON.parse(stdout).sources;
    const given = source.credentials.filter((each: { isGiven: boolean }) => each.isGiven);
    expect(given).toMatchObject([{ name, isInFile: true }]);
    expect(source.unmet).toBe(0);
    const { stdout: text } = await outcome(args);
    expect(text).toMatch(/given +by the file of credentials/);
    expect(stdout + text).not.toContain(SECRET);
    expect(stdout + text).not.toContain('PRIVATE KEY');
  });
});

describe('an API that was registered over the network', () => {
  const tokens: Behaviour = (_, reply) => reply.json({ access_token: 'good', token_type: 'Bearer' });

  it('is sent credentials only where the operator has said so', async () => {
    const [upstream, server] = await Promise.all([
      startStandInUpstream((_, reply) => reply.json([{ id: '1' }])),
      startStandInUpstream(tokens),
    ]);
    onTestFinished(() => Promise.all([upstream.close(), server.close()]).then(() => undefined));
    const flows = { clientCredentials: { tokenUrl: `${server.url}/token`, scopes: {} } };
    const document = notesDocument({ A: { type: 'oauth2', flows } });
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('First', './first.yaml', upstream.url)}`,
      'first.yaml': documentOf('First'),
    });
    const served = await serveProject(project, { REGISTRY_HOSTS: '127.0.0.1' });
    const { fetch } = asking(served.gateway);
    const post = (path: string, body: object) =>
      fetch(`/api/registry${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const api = { name: 'Notes', serviceUrl: upstream.url, fileName: 'notes.json' };
    expect((await post('', { ...api, document: JSON.stringify(document) })).status).toBe(201);

    const credentials = (settings: object): void =>
      project.write('credentials.yaml', JSON.stringify({ Notes: settings }));
    credentials({ clientCredentials: CLIENT });
    const refused = await post('/Notes/add', {});
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).toContain('its endpoint was given over the network');
    expect(refused.text).toContain('must say the tokenUrl');
    expect(server.requests).toStrictEqual([]);

    credentials({
      endpoint: upstream.url,
      clientCredentials: { ...CLIENT, tokenUrl: `${server.url}/token` },
    });
    expect((await post('/Notes/add', {})).status).toBe(200);
    expect((await asking(served.gateway).get('Note'))[0]).toBe(200);
    expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer good');

    const tried = await post('/Notes/try', { method: 'GET', path: '/notes', headers: {} });
    expect(tried.status).toBe(200);
    expect(tried.text).not.toContain('good');
    expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer good');
  });
});
