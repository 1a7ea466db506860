import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { answer } = useLibrary();

const AUTHOR = { body: '{"LastName":"Arndt","Languages":[]}' };
const APPLIED = 'preference-applied: ';

/** The applied preferences of a response. */
async function honoured(call: string, prefer: string, sent = {}): Promise<string | undefined> {
  const [status] = await answer(call, { ...sent, headers: { prefer } });
  expect(status).toMatch(/^2/);
  const start = status.indexOf(APPLIED);
  return start < 0 ? undefined : status.slice(start + APPLIED.length).replace(/ (?:location|etag).*/, '');
}

describe('Preference-Applied (Part 1, 8.3.9)', () => {
  it.each([
    ['GET Author?$top=1', 'maxpagesize=5', 'maxpagesize=5'],
    ['GET Author?$top=1', 'odata.maxpagesize=5, odata.track-changes', 'odata.maxpagesize=5'],
    ['GET Author(1)', 'omit-values=nulls', 'omit-values=nulls'],
    ['GET Author(1)', 'omit-values="defaults"', 'omit-values="defaults"'],
    ['GET Author(1)', 'include-annotations="display.*"', 'include-annotations="display.*"'],
    ['GET Author', 'odata.include-annotations=*', 'odata.include-annotations=*'],
    ['GET Author', 'handling=strict', 'handling=strict'],
    ['POST Author', 'handling=strict, return=minimal', 'return=minimal'],
  ])('names what was honoured: %s, %s', async (call, prefer, expected) => {
    const sent = call.startsWith('POST') ? AUTHOR : {};
    expect(await honoured(call, prefer, sent)).toBe(expected);
  });

  it.each([
    ['GET Author', 'handling=lenient'],
    ['GET Author', 'allow-entityreferences, odata.callback;url="http://x"'],
    ['GET Author', 'unknown, x-y=z, ;;, maxpagesize=many, omit-values=all, return=nothing'],
    ['GET Author(1)', 'maxpagesize=5'],
    // A namespace includes its terms only with `.*` (8.2.8.4).
    ['GET Author(1)', 'include-annotations="Org.OData.Core.V1.*,display"'],
    ['GET Author(1)/LastName', 'omit-values=nulls, track-changes'],
    ['GET Author/$count', 'maxpagesize=5, omit-values=nulls'],
  ])('names nothing else: %s, %s', async (call, prefer) => {
    expect(await honoured(call, prefer)).toBeUndefined();
  });

  it('is there for actions, which UI5 calls with handling=strict', async () => {
    const body = '{"Condition":"worn"}';
    const [status] = await answer('POST Loan(98)/Library.Return', {
      body,
      headers: { prefer: 'handling=strict' },
    });
    expect(status).toBe('200 preference-applied: handling=strict');
  });
});

describe('omit-values (Part 1, 8.2.8.6)', () => {
  const read = async (prefer: string) => {
    const [, text] = await answer('GET Author(1)', { headers: { prefer } });
    return JSON.parse(text);
  };

  it('leaves out nulls, and nothing else', async () => {
    await answer('PATCH Author(1)', { body: '{"FirstName":null}' });
    const all = await read('return=representation');
    const { FirstName, ...others } = all;
    expect([FirstName, await read('omit-values=nulls')]).toStrictEqual([null, others]);
  });
});
