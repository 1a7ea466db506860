import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createAddressGuard,
  createHostList,
  isPublicAddress,
} from '../../src/registry/address/address-guard.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentAt, postsProject, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
let port = '';
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([]));
  port = new URL(upstream.url).port;
});
afterAll(() => upstream.close());

/** All of them lead to this machine or its network, and the first ones to the stand-in. */
const INNER: readonly (readonly [host: string, address: string])[] = [
  ['127.0.0.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['[::ffff:7f00:1]', '::ffff:7f00:1'],
  ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
  ['0.0.0.0', '0.0.0.0'],
  ['[::1]', '::1'],
  ['[::]', '::'],
  ['169.254.169.254', '169.254.169.254'],
  ['10.1.2.3', '10.1.2.3'],
  ['[fd00::1]', 'fd00::1'],
  ['[fe80::1]', 'fe80::1'],
  ['[64:ff9b::7f00:1]', '64:ff9b::7f00:1'],
  ['[2002:7f00:1::]', '2002:7f00:1::'],
];

describe('a service URL that leads into the network of the operator', () => {
  it.each(INNER)('is kept with an error and not called: %s', async (host, address) => {
    const gateway = await serveRegistry(postsProject('http://127.0.0.1:9'), { REGISTRY_HOSTS: '' });
    const before = upstream.accepted;
    const url = `http://${host}:${port}`;
    const document = documentAt('Note', url);
    const { status, body } = await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    expect([status, body['serviceUrl'], body['errors'], body.report.findings]).toStrictEqual([
      201,
      url,
      1,
      [
        {
          severity: 'error',
          rule: 'service-url',
          message: `${address} is not an address of the Internet: it is called only where the operator names ${address} in REGISTRY_HOSTS`,
          line: expect.any(Number),
          column: 10,
          pointer: '/servers/0/url',
        },
      ],
    ]);
    const added = await gateway.ask('POST', '/Notes/add');
    const tried = await gateway.ask('POST', '/Notes/try', { method: 'GET', path: '/notes' });
    const fetched = await gateway.ask('POST', '/Notes/fetch', { url: `${url}/openapi.yaml` });
    expect([added.status, tried.status, fetched.status]).toStrictEqual([400, 403, 403]);
    expect(tried.body.error.message).toContain('in REGISTRY_HOSTS');
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect(upstream.accepted).toBe(before);
  });

  it('may be a name: what it resolves to counts', async () => {
    const gateway = await serveRegistry(postsProject('http://127.0.0.1:9'), { REGISTRY_HOSTS: '' });
    const document = documentAt('Note', `http://localhost:${port}`);
    const { body } = await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    expect(body.report.findings).toMatchObject([
      {
        severity: 'error',
        message: expect.stringMatching(/^localhost leads to (127\.0\.0\.1|::1), which is not an address/),
      },
    ]);
    expect((await gateway.ask('POST', '/Notes/add')).status).toBe(400);
  });

  it('is checked where it was given beside the document, too', async () => {
    const gateway = await serveRegistry(postsProject('http://127.0.0.1:9'), {
      REGISTRY_HOSTS: 'api.example',
    });
    const document = documentAt('Note', 'http://api.example');
    const serviceUrl = upstream.url;
    const { body } = await gateway.ask('POST', '', {
      name: 'Notes',
      fileName: 'n.yaml',
      document,
      serviceUrl,
    });
    expect(body.report.findings).toMatchObject([
      { severity: 'error', rule: 'service-url', pointer: '', line: 0 },
    ]);
  });

  it('is called where the operator names the host', async () => {
    const gateway = await serveRegistry(postsProject('http://127.0.0.1:9'), { REGISTRY_HOSTS: '127.0.0.1' });
    const document = documentAt('Note', upstream.url);
    const { body } = await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    expect(body['errors']).toBe(0);
    const tried = await gateway.ask('POST', '/Notes/try', { method: 'GET', path: '/notes' });
    expect([tried.status, tried.body['status']]).toStrictEqual([200, 200]);
  });

  it('is not called for the operations that the document has there, though its own server is', async () => {
    const gateway = await serveRegistry(postsProject('http://127.0.0.1:9'), { REGISTRY_HOSTS: '127.0.0.1' });
    const other = await startStandInUpstream((_, reply) => reply.json([]));
    onTestFinished(() => other.close());
    const inner = `http://localhost:${new URL(other.url).port}`;
    const document = documentAt('Note', upstream.url).replace(
      /^( *)\/notes:$/m,
      `$1/notes:\n$1  servers: [{ url: '${inner}' }]`,
    );
    await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    expect((await gateway.ask('POST', '/Notes/add')).status).toBe(200);
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']);
    expect((await fetch(`${gateway.gateway.url}/odata/Note`)).status).toBe(502);
    expect(other.accepted).toBe(0);
  });

  it('is the word of the operator in the project file', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url), { REGISTRY_HOSTS: '' });
    expect((await gateway.ask('GET', '/Posts')).body).toMatchObject({ errors: 0, serviceUrl: upstream.url });
    expect(await gateway.json('/odata/Post')).toMatchObject({ value: [] });
  });

  it('is not read from when an API is served that was registered while it was allowed', async () => {
    const project = postsProject('http://127.0.0.1:9');
    const first = await serveRegistry(project, { REGISTRY_HOSTS: '127.0.0.1' });
    const document = documentAt('Note', upstream.url);
    await first.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    await first.ask('POST', '/Notes/add');
    expect((await fetch(`${first.gateway.url}/odata/Note`)).status).toBe(200);
    const second = await serveRegistry(project, { REGISTRY_HOSTS: '' });
    const before = upstream.accepted;
    expect(await second.entitySets()).toStrictEqual(['Post', 'Note']);
    expect((await fetch(`${second.gateway.url}/odata/Note`)).status).toBe(502);
    expect(upstream.accepted).toBe(before);
  });
});

describe('a connection', () => {
  const agentOf = (hosts: readonly string[], lookup: LookupFunction): Agent => {
    const guard = createAddressGuard({ hosts: createHostList(hosts), lookup });
    const agent = new Agent({ connect: guard.connector(1_000) });
    onTestFinished(() => agent.destroy());
    return agent;
  };
  /** Public at the first look, and inner from then on. */
  const rebinding = (): LookupFunction => {
    let looks = 0;
    return (_, options, callback) => {
      looks += 1;
      const address = looks === 1 ? '93.184.216.34' : '127.0.0.1';
      if (options.all) callback(null, [{ address, family: 4 }]);
      else callback(null, address, 4);
    };
  };

  it('goes to the address that was looked at: a name that changes its mind is refused', async () => {
    const lookup = rebinding();
    const guard = createAddressGuard({ hosts: createHostList([]), lookup });
    expect(await guard.refusalOf('http://rebind.example')).toBe(undefined);
    const before = upstream.accepted;
    const dispatcher = agentOf([], lookup);
    await expect(request(`http://rebind.example:${port}`, { dispatcher })).rejects.toThrow(
      'rebind.example leads to 127.0.0.1, which is not an address of the Internet',
    );
    expect(upstream.accepted).toBe(before);
  });

  it('is refused where one of several addresses is an inner one', async () => {
    const both: LookupFunction = (_, __, callback) =>
      callback(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]);
    const dispatcher = agentOf(['*.example'], both);
    await expect(request('http://two.example', { dispatcher })).rejects.toThrow('leads to 10.0.0.1');
  });

  it('is made to a host that is named, wherever it is', async () => {
    const inner: LookupFunction = (_, options, callback) => systemLookup('127.0.0.1', options, callback);
    const dispatcher = agentOf(['localhost'], inner);
    expect((await request(`http://localhost:${port}`, { dispatcher })).statusCode).toBe(200);
  });
});

describe('an address', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946', '::ffff:8.8.8.8'])(
    'is public: %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '100.64.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::ffff:10.0.0.1',
    '::7f00:1',
    'fc00::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    'fe80::1%eth0',
    'localhost',
    '',
  ])('is not: %s', (address) => expect(isPublicAddress(address)).toBe(false));
});
