import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';
import { GRAMMAR } from './grammar-by-request.cases.ts';

const { odata } = useLibrary();

describe.each(Object.entries(GRAMMAR))('the grammar of %s', (_, cases) => {
  const named = cases.map(([target, status, message = '']) => ({ target, status, message }));
  it.each(named)('$target is a $status', async ({ target, status, message }) => {
    // What is encoded already stays so.
    const sent = encodeURI(target).replaceAll('%25', '%');
    const [found, body] = await odata(`GET ${sent}`);
    expect([found, body === '' ? '' : JSON.parse(body)]).toEqual([
      status,
      status === 200
        ? expect.objectContaining({ '@odata.context': expect.any(String) })
        : { error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    ]);
  });
});
