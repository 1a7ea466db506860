import { expect, it } from 'vitest';
import { servePartsApi } from '../support/parts-api.ts';
import { outcome } from './command.ts';

it('prints which parameters of lists do what they are called', async () => {
  const { upstream, project } = await servePartsApi();
  const { code, stdout } = await outcome(['probe'], {
    MESH_CONFIG: project.path('.meshrc.yaml'),
    AUTH: 'off',
  });
  expect([
    code,
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
  ]).toStrictEqual([
    0,
    [
      'Part  kind        Kind equal          used',
      'Part  maker       Maker equal         not used: it does something else',
      'Part  note        Note equal          not used: the first page could not show it',
      'Part  sort=size   order by Size       used',
      'Part  sort=-size  order by Size desc  used',
    ],
  ]);
  expect(upstream.requests.every(({ method }) => method === 'GET')).toBe(true);
});

it('says that a list cannot be read, and goes on with the others', async () => {
  const { upstream, project } = await servePartsApi();
  upstream.behave((_, reply) => reply.send(500, '{}'));
  const { code, stdout } = await outcome(['probe', '--json'], {
    MESH_CONFIG: project.path('.meshrc.yaml'),
    AUTH: 'off',
  });
  const verdicts = (JSON.parse(stdout) as readonly { readonly verdict: string }[]).map(
    ({ verdict }) => verdict,
  );
  expect([code, verdicts]).toStrictEqual([1, ['open', 'open', 'open', 'open', 'open']]);
});
