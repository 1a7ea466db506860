import { expect, it } from 'vitest';
import { useLibrary } from '../../openapi/library-gateway.ts';

const { answer, upstream } = useLibrary();

const AUTHOR = '{"LastName":"Arndt","Languages":["de"]}';
const LOAN = '{"MemberId":"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9","ISBN":"9783449647968","CopyNumber":1}';

it('undoes what the library has taken where it refuses the rest, in the JSON form', async () => {
  const before = await upstream('/authors');
  const requests = [
    `{"id":"1","atomicityGroup":"g","method":"post","url":"Author","body":${AUTHOR}}`,
    `{"id":"2","atomicityGroup":"g","method":"post","url":"Loan","body":${LOAN}}`,
  ];
  const [, text] = await answer('POST $batch', { body: `{"requests":[${requests}]}` });
  const { responses } = JSON.parse(text);
  expect(responses.map(({ status }: { status: number }) => status)).toEqual([424, 400]);
  expect(responses[1].body.error).toEqual({
    code: 'InsertFailed',
    message: 'The copy cannot be lent.',
    details: [{ code: 'FailedDependency', message: '"1": what it did is undone.', target: '1' }],
  });
  expect(await upstream('/authors')).toBe(before);
});

it('creates, changes and reads in the multipart form, as UI5 sends it', async () => {
  const type = 'application/json;charset=UTF-8;IEEE754Compatible=true';
  const accept = 'application/json;odata.metadata=minimal;IEEE754Compatible=true';
  const change = (id: string, line: string, body: string) =>
    [
      '--changeset_id-1',
      'Content-Type:application/http',
      'Content-Transfer-Encoding:binary',
      `Content-ID:${id}`,
      '',
      `${line} HTTP/1.1`,
      `Accept:${accept}`,
      `Content-Type:${type}`,
      '',
      `${body}`,
    ].join('\r\n');
  const body = [
    '--batch_id-1',
    'Content-Type: multipart/mixed;boundary=changeset_id-1',
    '',
    change('0.0', 'POST Author', AUTHOR),
    change('1.0', 'PATCH $0.0', '{"FirstName":"Ilka"}'),
    '--changeset_id-1--',
    '',
    '--batch_id-1',
    'Content-Type:application/http',
    'Content-Transfer-Encoding:binary',
    '',
    'GET Copy?$top=1&$select=Barcode&$count=true HTTP/1.1',
    `Accept:${accept}`,
    '',
    '',
    '--batch_id-1--',
    'Group ID: $auto',
  ].join('\r\n');
  const headers = {
    'content-type': 'multipart/mixed; boundary=batch_id-1',
    accept: 'multipart/mixed',
    'odata-maxversion': '4.0',
    'odata-version': '4.0',
  };
  const [, text] = await answer('POST $batch', { body, headers });
  expect(text.match(/^(?:HTTP|Content-ID|Location|\{).*/gm)).toEqual([
    'Content-ID: 0.0',
    'HTTP/1.1 201 Created',
    expect.stringMatching(/^Location: ~\/Author\(\d+\)$/),
    expect.stringContaining('"FirstName":null,"LastName":"Arndt"'),
    'Content-ID: 1.0',
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 200 OK',
    expect.stringContaining('"@odata.count":"'),
  ]);
  const [, id] = /Location: ~\/Author\((\d+)\)/.exec(text) ?? [];
  expect(await upstream(`/authors/${id}`)).toContain('"first_name":"Ilka"');
});
