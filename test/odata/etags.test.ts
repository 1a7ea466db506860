import { describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const { ask } = useShop();

const PATCHED = 'PATCH /orders/1';
const failed = (message: string) => ({
  answer: '412',
  body: JSON.stringify({ error: { code: 'PreconditionFailed', message } }),
  sent: [],
});
const CHANGED = failed('If-Match: the entity has changed in the meantime: read it again.');
const required = {
  answer: '428',
  body: '{"error":{"code":"PreconditionRequired","message":"If-Match: expected the ETag of the entity, found none."}}',
  sent: [],
};
/** The form of an entity tag computed from a customer's bytes. */
const DIGEST = /^W\/"[\w-]{27}"$/;

async function tagOf(path: string): Promise<string> {
  return (await ask(`GET ${path}`)).answer.replace('200 etag: ', '');
}

describe('the ETag of an entity (Part 1, 8.3.2)', () => {
  it('is the weak form of the upstream’s', async () => {
    expect(await tagOf('Order(1)')).toBe('W/"r1"');
    expect(await tagOf('Order(1)?$select=Note')).toBe('W/"r1"');
    expect(await tagOf('Order(1)/Note')).toBe('W/"r1"');
  });

  it('stands for the bytes where the upstream has none', async () => {
    const tag = await tagOf('Customer(1)');
    expect(tag).toMatch(DIGEST);
    expect(await tagOf('Customer(1)?$select=Name')).toBe(tag);
    expect(await tagOf('Customer(2)')).not.toBe(tag);
    await ask('PATCH Customer(1)', { Name: 'Eve' });
    expect(await tagOf('Customer(1)')).not.toBe(tag);
  });

  it('comes with the answer to a change where the upstream says it', async () => {
    expect((await ask('PATCH Order(1)', { Note: 'x' })).answer).toBe('204 etag: W/"r2"');
    expect((await ask('PUT Order(1)/Note', { value: 'y' })).answer).toBe('204 etag: W/"r3"');
    const shown = await ask('PATCH Order(1)', { Note: 'z' }, { prefer: 'return=representation' });
    expect(shown.answer).toBe('200 etag: W/"r4" preference-applied: return=representation');
    expect((await ask('PATCH Customer(1)', { Name: 'Eve' })).answer).toBe('204');
  });
});

describe('the ETag in the payload of one entity (JSON Format, 4.5.7)', () => {
  const tagIn = (body: string) => JSON.parse(body)['@odata.etag'];

  it.each([
    'Order(1)',
    'Order(1)?$select=Note',
    'Order(1)?$expand=Items',
    'Customer(1)',
    'Order(1)/Customer',
  ])('is that of the header: %s', async (path) => {
    const { answer, body } = await ask(`GET ${path}`);
    expect(tagIn(body)).toMatch(/^W\/"[\w-]+"$/);
    expect(answer).toBe(`200 etag: ${tagIn(body)}`);
  });

  it('stands behind the type and the id', async () => {
    const { body } = await ask('GET Order(1)?$select=Note', undefined, {
      accept: 'application/json;metadata=full',
    });
    expect(Object.keys(JSON.parse(body)).slice(0, 4)).toStrictEqual([
      '@odata.context',
      '@odata.type',
      '@odata.id',
      '@odata.etag',
    ]);
  });

  it('is not there without metadata, and not in lists, where none is known', async () => {
    const { body } = await ask('GET Order(1)', undefined, { accept: 'application/json;metadata=none' });
    expect(tagIn(body)).toBeUndefined();
    expect(tagIn(JSON.stringify(JSON.parse((await ask('GET Order')).body).value[0]))).toBeUndefined();
  });

  it('is the new one after a change', async () => {
    const changed = await ask('PATCH Order(1)', { Note: 'x' }, { prefer: 'return=representation' });
    expect([changed.answer.slice(0, 16), tagIn(changed.body)]).toStrictEqual(['200 etag: W/"r2"', 'W/"r2"']);
    const read = await ask('GET Order(1)');
    expect(tagIn(read.body)).toBe('W/"r2"');
  });
});

describe('If-None-Match (Part 1, 8.2.5)', () => {
  it.each(['Order(1)', 'Order(1)?$select=Note', 'Order(1)/Note', 'Customer(1)', 'Customer(1)/Name'])(
    'of a read of %s',
    async (path) => {
      const tag = await tagOf(path);
      for (const known of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
        expect(await ask(`GET ${path}`, undefined, { 'if-none-match': known })).toStrictEqual({
          answer: `304 etag: ${tag}`,
          body: '',
          sent: [],
        });
      }
      const { answer } = await ask(`GET ${path}`, undefined, { 'if-none-match': '"other"' });
      expect(answer).toBe(`200 etag: ${tag}`);
    },
  );

  it('says nothing of related entities', async () => {
    const path = 'Order(1)?$expand=Items';
    const tag = await tagOf(path);
    expect(tag).toBe('W/"r1"');
    const { answer } = await ask(`GET ${path}`, undefined, { 'if-none-match': tag });
    expect(answer).toBe(`200 etag: ${tag}`);
  });

  it('of a collection whose data has not changed', async () => {
    const tag = await tagOf('Order');
    expect(tag).toMatch(DIGEST);
    expect(await ask('GET Order', undefined, { 'if-none-match': tag })).toStrictEqual({
      answer: `304 etag: ${tag}`,
      body: '',
      sent: [],
    });
    await ask('PATCH Order(1)', { Note: 'x' });
    const { answer, body } = await ask('GET Order', undefined, { 'if-none-match': tag });
    expect([answer === `200 etag: ${tag}`, answer.startsWith('200 etag: W/"')]).toStrictEqual([false, true]);
    expect(JSON.parse(body).value[0].Note).toBe('x');
    expect((await ask('GET Order?$expand=Items')).answer).toBe('200');
  });

  it('of a change', async () => {
    const patched = (known: string) => ask('PATCH Order(1)', { Note: 'x' }, { 'if-none-match': known });
    expect(await patched('"r1"')).toStrictEqual(
      failed('If-None-Match: expected the entity in another state, found W/"r1".'),
    );
    expect(await patched('*')).toStrictEqual(failed('If-None-Match: expected no entity here, found one.'));
    const { answer } = await ask('PATCH Order(1)', { Note: 'x' }, { 'if-none-match': '"r9"' });
    expect(answer).toBe('204 etag: W/"r2"');
  });
});

describe('If-Match (Part 1, 8.2.4)', () => {
  it.each([
    'Order(1)',
    'Order(1)?$expand=Items',
    'Order(1)/Note',
    'Order(1)/Note/$value',
    'Customer(1)',
    'Order',
    '$metadata',
    '',
  ])('of a read of %s', async (path) => {
    const tag = await tagOf(path);
    for (const match of path.includes('$expand') ? [tag, '*'] : [tag, `"r0", ${tag}`, '*']) {
      const { answer } = await ask(`GET ${path}`, undefined, { 'if-match': match });
      expect(answer).toBe(`200 etag: ${tag}`);
    }
    expect(await ask(`GET ${path}`, undefined, { 'if-match': '"r0"' })).toStrictEqual(
      failed(`If-Match: expected the ETag "r0", found ${tag}.`),
    );
  });

  it('of a read of what has no ETag', async () => {
    expect(await ask('GET Order?$expand=Items', undefined, { 'if-match': '"r0"' })).toMatchObject(
      failed('If-Match: expected the ETag "r0", found none.'),
    );
  });

  it.each([
    ['PATCH Order(1)', { Note: 'x' }, `${PATCHED} if "r1" {"note":"x"}`],
    ['PUT Order(1)/Note', { value: 'x' }, `${PATCHED} if "r1" {"note":"x"}`],
    ['DELETE Order(1)/Note', undefined, `${PATCHED} if "r1" {"note":null}`],
    ['PUT Order(1)/Customer/$ref', { '@id': 'Customer(2)' }, `${PATCHED} if "r1" {"customer_id":2}`],
    ['DELETE Order(1)', undefined, 'DELETE /orders/1 if "r1"'],
  ])('of %s is passed on to an upstream that knows the tag', async (call, body, sent) => {
    for (const tag of ['W/"r0"', '"r2"', '""']) {
      expect(await ask(call, body, { 'if-match': tag })).toStrictEqual(CHANGED);
    }
    const outcome = await ask(call, body, { 'if-match': 'W/"r1"' });
    expect([outcome.answer.slice(0, 3), outcome.sent]).toStrictEqual(['204', [sent]]);
  });

  it('is checked here where the upstream has no tags', async () => {
    expect(await ask('PATCH Customer(1)', { Name: 'x' }, { 'if-match': 'W/"r1"' })).toStrictEqual(CHANGED);
    const tag = await tagOf('Customer(1)');
    expect((await ask('PATCH Customer(1)', { Name: 'x' }, { 'if-match': tag })).sent).toStrictEqual([
      'PATCH /customers/1 {"name":"x"}',
    ]);
  });

  it('of any state demands that there is an entity', async () => {
    expect((await ask('PATCH Order(1)', { Note: 'x' }, { 'if-match': '*' })).sent).toStrictEqual([
      `${PATCHED} {"note":"x"}`,
    ]);
    expect((await ask('PATCH Order(9)', { Note: 'x' }, { 'if-match': '*' })).answer).toBe('404');
  });
});

describe('a change that the document demands a condition for (RFC 6585, 3)', () => {
  it.each([
    ['PUT Contract(1)', { Text: 'x' }, 'PUT /contracts/1 if "r1" {"text":"x"}'],
    ['DELETE Contract(1)', undefined, 'DELETE /contracts/1 if "r1"'],
  ])('%s', async (call, body, sent) => {
    expect(await ask(call, body)).toStrictEqual(required);
    expect(await ask(call, body, { 'if-match': '"r2"' })).toStrictEqual(CHANGED);
    expect((await ask(call, body, { 'if-match': 'W/"r1"' })).sent).toStrictEqual([sent]);
  });
});

describe('the ETag of a form of a resource (RFC 9110, 8.8.3; RFC 9111, 4.3)', () => {
  const FORMS: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'odata-maxversion': '4.01' },
    { accept: 'application/json;odata.metadata=full' },
    { accept: 'application/json;odata.metadata=none' },
    { accept: 'application/json;IEEE754Compatible=true' },
    { prefer: 'odata.maxpagesize=1' },
    { prefer: 'omit-values=nulls' },
  ];
  const tagIn = (answer: string) => /etag: (\S+)/.exec(answer)?.[1] ?? '';

  it.each(['Order(1)', 'Customer(1)', 'Order', 'Order(1)/Note'])('is that form’s alone: %s', async (path) => {
    const tags = await Promise.all(
      FORMS.map(async (headers) => tagIn((await ask(`GET ${path}`, undefined, headers)).answer)),
    );
    expect(new Set(tags).size).toBe(FORMS.length);
    for (const [index, headers] of FORMS.entries()) {
      const statuses = await Promise.all(
        tags.map(async (tag) => {
          const { answer } = await ask(`GET ${path}`, undefined, { ...headers, 'if-none-match': tag });
          return answer.slice(0, 3);
        }),
      );
      expect(statuses).toStrictEqual(tags.map((_, other) => (other === index ? '304' : '200')));
    }
  });

  it('names the entity for a change, as the tag of the payload does', async () => {
    const { answer } = await ask('GET Order(1)', undefined, { 'odata-maxversion': '4.01' });
    const tag = tagIn(answer);
    expect(tag).toMatch(/^W\/"r1~[\w-]{8}"$/);
    const changed = await ask('PATCH Order(1)', { Note: 'x' }, { 'if-match': tag });
    expect(changed.answer).toBe('204 etag: W/"r2"');
    expect(await ask('PATCH Order(1)', { Note: 'y' }, { 'if-match': tag })).toMatchObject({ answer: '412' });
  });
});
