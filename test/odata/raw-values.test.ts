import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { answer } = useLibrary();

const MEMBER = 'Member(78279141-b951-5b28-84c2-c9895943afeb)';
const TEXT = { 'content-type': 'text/plain' };

const put = (path: string, body: string, headers: Readonly<Record<string, string>> = TEXT) =>
  answer(`PUT ${path}/$value`, { body, headers });

describe('a raw value (Part 1, 11.4.9.1)', () => {
  it.each([
    ['Author(4)/LastName', 'Ö "x" \\ 1'],
    ['Author(4)/LastName', ''],
    ['Author(4)/Born', '1950-02-03'],
    ["Book('9783400000009')/Price", '12.5'],
    ["Book('9783400000009')/AuthorId", '3'],
    ["Book('9783400000009')/Genre", 'poetry'],
    [`${MEMBER}/Active`, 'false'],
    [`${MEMBER}/Address/City`, 'Unterfenn'],
  ])('is put in the place of %s: %s', async (path, text) => {
    const [status, body] = await put(path, text);
    expect([status.slice(0, 3), body]).toStrictEqual(['204', '']);
    expect((await answer(`GET ${path}/$value`))[1]).toBe(text);
  });

  it('may come without a type, and with a charset', async () => {
    for (const type of ['text/plain;charset=UTF-8', 'text/html']) {
      expect(await put('Author(4)/LastName', 'x', { 'content-type': type })).toStrictEqual(['204', '']);
    }
  });

  it('is made null, where it may be (11.4.9.2)', async () => {
    await put('Author(4)/FirstName', 'Ada');
    expect(await answer('DELETE Author(4)/FirstName/$value')).toStrictEqual(['204', '']);
    expect((await answer('GET Author(4)/FirstName/$value'))[0]).toBe('204');
    expect((await answer('DELETE Author(4)/LastName/$value'))[0]).toBe('405 allow: GET, HEAD, PUT, OPTIONS');
  });

  it.each([
    ["Book('9783400000009')/AuthorId", 'three', 'value: expected Edm.Int32, found a string.'],
    ["Book('9783400000009')/AuthorId", '1.5', 'value: expected Edm.Int32, found a number.'],
    [`${MEMBER}/Active`, '1', 'value: expected Edm.Boolean, found a string.'],
    ['Author(4)/Born', 'today', 'value: expected Edm.Date, found a string.'],
  ])('is checked as in JSON: %s, %s', async (path, text, message) => {
    const [status, body] = await put(path, text);
    expect([status, JSON.parse(body).error.message]).toStrictEqual(['400', message]);
  });

  it.each([
    ['application/json', '"x"'],
    ['text/plain;charset=latin1', 'x'],
  ])('is text: not %s', async (type, text) => {
    const [status, body] = await put('Author(4)/LastName', text, { 'content-type': type });
    expect([status, JSON.parse(body).error]).toStrictEqual([
      '415',
      {
        code: 'UnsupportedMediaType',
        message: 'Content-Type: expected text/plain in UTF-8.',
        target: 'Content-Type',
      },
    ]);
  });

  it.each([
    ['PUT Author(4)/Id/$value', '405 allow: GET, HEAD, OPTIONS'],
    ['OPTIONS Author(4)/LastName/$value', '204 allow: GET, HEAD, PUT, OPTIONS'],
    ['OPTIONS Author(4)/FirstName/$value', '204 allow: GET, HEAD, PUT, DELETE, OPTIONS'],
    ['POST Author(4)/LastName/$value', '405 allow: GET, HEAD, PUT, OPTIONS'],
  ])('can be changed as the property can: %s', async (call, expected) => {
    expect((await answer(call))[0]).toBe(expected);
  });
});
