import { describe, expect, it } from 'vitest';
import { awsKeyOf, digestUserOf, messageKeyOf } from '../../support/signature-verifiers.ts';
import type { Behaviour, ReceivedRequest } from '../../support/stand-in-upstream.ts';
import { everybodysNotes, type NotesScene, notesDocument, serveNotes } from './notes-scene.ts';

const SECRET = 'a/secret+of:the gateway';
const secretOf = (id: string): string | undefined => (id === 'gateway' ? SECRET : undefined);

const AWS = {
  region: 'eu-central-1',
  service: 'execute-api',
  accessKeyId: 'gateway',
  secretAccessKey: SECRET,
};
const MESSAGE = { keyId: 'gateway', secret: SECRET };
const DIGEST = { user: 'gateway', password: SECRET };

/** Returns true for a request that the gateway's key has signed. */
type IsSigned = (request: ReceivedRequest) => boolean;

const byAws: IsSigned = (request) => awsKeyOf(request, secretOf) === 'gateway';
const byMessage: IsSigned = (request) => messageKeyOf(request, secretOf) === 'gateway';

/** Accepts signed requests only. */
function requiring(isSigned: IsSigned, then: Behaviour = everybodysNotes): Behaviour {
  return (request, reply) => (isSigned(request) ? then(request, reply) : reply.send(403, '{}'));
}

/** Accepts each nonce as often as allowed, with counts that rise by one. */
function digestNotes(uses: number, { algorithm = 'SHA-256', more = '' } = {}): Behaviour {
  let nonce = 0;
  let count = 0;
  return (request, reply) => {
    const sent = digestUserOf(request, secretOf);
    const isNext =
      sent?.parameters['nonce'] === `n${nonce}` &&
      Number.parseInt(sent.parameters['nc'] ?? '', 16) === count + 1 &&
      sent.parameters['uri'] === request.target &&
      count < uses;
    if (isNext) {
      count += 1;
      everybodysNotes(request, reply);
      return;
    }
    nonce += 1;
    count = 0;
    const stale = sent === undefined ? '' : ', stale=true';
    const challenge = `Digest realm="notes", nonce="n${nonce}", qop="auth", algorithm=${algorithm}, opaque="o\\"p"${stale}${more}`;
    reply.send(401, '{}', { 'www-authenticate': `Basic realm="notes", ${challenge}` });
  };
}

function create({ served }: NotesScene, text: string): Promise<Response> {
  return fetch(`${served.gateway.url}/odata/Note`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Id: '2', Text: text }),
  });
}

const NOTES = { value: [{ Id: '1', Text: 'one' }] };

describe.each([
  ['AWS Signature Version 4', { awsSignature: AWS }, byAws],
  ['AWS Signature Version 4 of S3', { awsSignature: { ...AWS, service: 's3' } }, byAws],
  ['HTTP Message Signatures', { messageSignature: MESSAGE }, byMessage],
])('requests signed by %s', (_, credentials, isSigned) => {
  it('are accepted: reads, keys with special characters, and creates', async () => {
    const scene = await serveNotes(credentials, { behaviour: requiring(isSigned) });
    expect(await scene.get('Note')).toMatchObject([200, NOTES]);
    for (const key of ['a b', "it''s", 'ä/ü', '(x)!*', 'a+b', '100%25']) {
      expect([key, (await scene.get(`Note('${encodeURIComponent(key)}')`))[0]]).toStrictEqual([key, 200]);
    }
    expect((await create(scene, 'zwölf')).status).toBe(201);
    expect(scene.upstream.requests).toHaveLength(8);
  });

  it('have a signature of their own when a call is repeated', async () => {
    let calls = 0;
    const behaviour = requiring(isSigned, (request, reply) => {
      calls += 1;
      if (calls === 1) reply.reset();
      else everybodysNotes(request, reply);
    });
    const scene = await serveNotes(credentials, { behaviour });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(scene.upstream.requests.map(isSigned)).toStrictEqual([true, true]);
    const [first, second] = scene.upstream.requests.map(({ headers }) => headers['signature-input'] ?? null);
    if (first !== null) expect(first).not.toBe(second);
  });

  it('are refused with another secret, and show nothing of it', async () => {
    const scene = await serveNotes(credentials, {
      behaviour: requiring((request) => awsKeyOf(request, () => 'x') !== undefined),
    });
    const answer = await scene.get('Note');
    expect(answer[0]).toBe(502);
    const shown = JSON.stringify([
      answer,
      scene.served.entries(),
      await scene.served.json('/api/registry/Notes'),
    ]);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain('signature=');
  });
});

/** A document whose notes have a stream that can be replaced. */
function streamDocument(): object {
  const { paths, components, ...others } = notesDocument() as {
    readonly paths: Readonly<Record<string, object>>;
    readonly components: { readonly schemas: { readonly Note: Readonly<Record<string, object>> } };
  };
  const { Note } = components.schemas;
  const content = { 'application/octet-stream': {} };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const file = {
    parameters,
    get: { operationId: 'file', responses: { 200: { description: 'OK', content } } },
    put: { operationId: 'setFile', requestBody: { content }, responses: { 204: { description: 'done' } } },
  };
  const word = { ...Note['x-odata'], hasStream: true, stream: { get: 'file', put: 'setFile' } };
  return {
    ...others,
    paths: { ...paths, '/notes/{id}/file': file },
    components: { ...components, schemas: { Note: { ...Note, 'x-odata': word } } },
  };
}

const whenPut =
  (isSigned: IsSigned): Behaviour =>
  (request, reply) =>
    isSigned(request) ? reply.send(204) : reply.send(403, '{}');

/** In bytes: more than the gateway reads into memory by itself. */
const LARGE = 1_200_000;

function putFile({ served }: NotesScene, bytes: number, isChunked = false): Promise<Response> {
  return fetch(`${served.gateway.url}/odata/Note('1')/$value`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    ...(isChunked
      ? { body: new Blob([Buffer.alloc(bytes, 'x')]).stream(), duplex: 'half' }
      : { body: Buffer.alloc(bytes, 'x') }),
  });
}

describe('a streamed body', () => {
  it.each([
    ['AWS Signature Version 4', { awsSignature: AWS }, byAws, undefined],
    ['AWS without its payload', { awsSignature: { ...AWS, payload: 'unsigned' } }, byAws, 'UNSIGNED-PAYLOAD'],
    ['AWS Signature Version 4 of S3', { awsSignature: { ...AWS, service: 's3' } }, byAws, 'UNSIGNED-PAYLOAD'],
    ['HTTP Message Signatures', { messageSignature: MESSAGE }, byMessage, undefined],
  ])('is signed by %s', async (_, credentials, isSigned, declared) => {
    const scene = await serveNotes(credentials, { document: streamDocument(), behaviour: whenPut(isSigned) });
    expect((await putFile(scene, LARGE)).status).toBe(204);
    const [request] = scene.upstream.requests;
    expect(request?.body.length).toBe(LARGE);
    expect(request?.headers['x-amz-content-sha256']).toBe(declared);
    expect((await putFile(scene, LARGE, true)).status).toBe(204);
    const [, chunked] = scene.upstream.requests;
    // The stand-in reads no chunks, which only an unsigned body may be sent in.
    if (chunked?.headers['transfer-encoding'] === 'chunked') expect(declared).toBe('UNSIGNED-PAYLOAD');
    else expect(chunked?.body.length).toBe(LARGE);
  });

  it('that the signature covers has a limit', async () => {
    const scene = await serveNotes(
      { messageSignature: MESSAGE },
      { document: streamDocument(), behaviour: whenPut(byMessage) },
    );
    const response = await putFile(scene, 8 * 1024 * 1024 + 1);
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: { code: 'PayloadTooLarge' } },
    ]);
    expect(scene.upstream.requests).toStrictEqual([]);
  });

  it('is not sent by Digest before there is a challenge, because it cannot be sent twice', async () => {
    const scene = await serveNotes(
      { digest: DIGEST },
      { document: streamDocument(), behaviour: digestNotes(9) },
    );
    expect((await putFile(scene, LARGE)).status).toBe(204);
    expect(scene.upstream.requests.map(({ method, body }) => [method, body.length])).toStrictEqual([
      ['HEAD', 0],
      ['PUT', LARGE],
    ]);
  });
});

describe('AWS Signature Version 4', () => {
  it('has the token of a temporary key', async () => {
    const awsSignature = { ...AWS, sessionToken: '{env.AWS_TOKEN}' };
    const scene = await serveNotes(
      { awsSignature },
      { behaviour: requiring(byAws), environment: { AWS_TOKEN: 'temporary' } },
    );
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(scene.upstream.requests[0]?.headers['x-amz-security-token']).toBe('temporary');
  });
});

describe('HTTP Message Signatures', () => {
  it('cover the components of the settings, and leave out fields that a request lacks', async () => {
    const messageSignature = {
      ...MESSAGE,
      secret: Buffer.from(SECRET).toString('base64'),
      secretEncoding: 'base64',
      components: ['@method', '@path', 'x-none', 'accept'],
    };
    const scene = await serveNotes({ messageSignature }, { behaviour: requiring(byMessage) });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(scene.upstream.requests[0]?.headers['signature-input']).toMatch(
      /^sig1=\("@method" "@path" "accept"\);created=\d+;nonce="[^"]+";keyid="gateway";alg="hmac-sha256"$/,
    );
  });
});

describe('Digest', () => {
  it.each([
    ['SHA-256', ''],
    ['MD5', ''],
    ['SHA-256-sess', ''],
    ['SHA-256', ', Digest realm="notes", nonce="weak", qop="auth", algorithm=MD5'],
  ])('answers a challenge once, and uses its nonce from then on: %s%s', async (algorithm, more) => {
    const scene = await serveNotes({ digest: DIGEST }, { behaviour: digestNotes(99, { algorithm, more }) });
    expect(await scene.get('Note')).toMatchObject([200, NOTES]);
    expect((await create(scene, 'two')).status).toBe(201);
    expect((await scene.get("Note('1')"))[0]).toBe(200);
    expect(scene.upstream.requests.map(({ method }) => method)).toStrictEqual(['GET', 'GET', 'POST', 'GET']);
    expect(scene.authorizations()[0]).toBeUndefined();
    expect(scene.authorizations()[1]).toContain('opaque="o\\"p"');
  });

  it.each(['SHA-256', 'MD5-sess'])(
    'counts the uses of a nonce that several challenges have, with one client nonce: %s',
    async (algorithm) => {
      const challenge = `Digest realm="notes", nonce="n", qop="auth", algorithm=${algorithm}`;
      const uses: (readonly [string | undefined, string | undefined])[] = [];
      const scene = await serveNotes(
        { digest: DIGEST },
        {
          behaviour: (request, reply) => {
            const sent = digestUserOf(request, secretOf)?.parameters;
            const isAgain = uses.some(([count]) => count === sent?.['nc']);
            if (sent === undefined || isAgain)
              return reply.send(401, '{}', { 'www-authenticate': challenge });
            uses.push([sent['nc'], sent['cnonce']]);
            return everybodysNotes(request, reply);
          },
        },
      );
      const answers = await Promise.all([1, 2, 3, 4].map((id) => scene.get(`Note('${id}')`)));
      expect(answers.map(([status]) => status)).toStrictEqual([200, 200, 200, 200]);
      expect((await scene.get('Note'))[0]).toBe(200);
      expect(uses.map(([count]) => count).toSorted()).toStrictEqual(
        [1, 2, 3, 4, 5].map((count) => `0000000${count}`),
      );
      expect(new Set(uses.map(([, clientNonce]) => clientNonce)).size).toBe(1);
    },
  );

  it('takes a new nonce when the old one is stale, for a change, too', async () => {
    const scene = await serveNotes({ digest: DIGEST }, { behaviour: digestNotes(1) });
    const statuses = [(await scene.get('Note'))[0], (await create(scene, 'two')).status];
    expect(statuses).toStrictEqual([200, 201]);
    const methods = scene.upstream.requests.map(({ method }) => method);
    expect(methods).toStrictEqual(['GET', 'GET', 'POST', 'POST']);
  });

  it('is not sent again where the password is wrong, or the challenge is not supported', async () => {
    const wrong = await serveNotes(
      { digest: { ...DIGEST, password: 'wrong' } },
      { behaviour: digestNotes(9) },
    );
    const answers = [await wrong.get('Note'), await wrong.get('Note')];
    expect(answers.map(([status]) => status)).toStrictEqual([502, 502]);
    expect(wrong.upstream.requests).toHaveLength(3);
    for (const challenge of [
      'Digest realm="x", nonce="n", qop="auth-int"',
      'Digest nonce="n',
      'Negotiate',
      '=,"',
    ]) {
      const behaviour: Behaviour = (_, reply) => reply.send(401, '{}', { 'www-authenticate': challenge });
      const scene = await serveNotes({ digest: DIGEST }, { behaviour });
      expect((await scene.get('Note'))[0]).toBe(502);
      expect(scene.upstream.requests).toHaveLength(1);
    }
  });
});
