import { describe, expect, it } from 'vitest';
import { type Sent, useLibrary } from './library-gateway.ts';

const { answer, upstream } = useLibrary();

const SVG = { headers: { 'content-type': 'image/svg+xml' } };
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe("a book's cover (Part 1, 11.2.5 and 11.4.8)", { shuffle: false }, () => {
  it.each<[string, Sent, RegExp, RegExp]>([
    [
      "GET Book('9783400000009')/Cover",
      {},
      /^200 content-type: image\/svg\+xml etag: W\/"/,
      /^<svg .*<\/svg>$/,
    ],
    ["HEAD Book('9783400000009')/Cover", {}, /^200 content-type: image\/svg\+xml etag: W\/"/, /^$/],
    ["GET Book('9783400000009')/Library.PrintedBook/Cover", {}, /^200 content-type: image\/svg/, /^<svg /],
    ["GET Book('9783400000009')/Library.AudioBook/Cover", {}, /^404$/, /"NotFound"/],
    ["GET Author(1)/Books('9783400000009')/Cover", {}, /^200 content-type: image\/svg/, /^<svg /],
    ["GET Copy(ISBN='9783400000009',CopyNumber=1)/Book/Cover", {}, /^200 content-type: image\/svg/, /^<svg /],
    ["GET Book('nope')/Cover", {}, /^404$/, /"NotFound"/],
    ["GET Book('9783400000009')/Cover/$value", {}, /^404$/, /"NotFound"/],
    ["PUT Book('9783400000009')/Cover", { body: PICTURE, ...SVG }, /^204$/, /^$/],
    ["GET Book('9783400000009')/Cover", {}, /^200 content-type: image\/svg/, new RegExp(`^${PICTURE}$`)],
    ["PUT Book('9783400000009')/Cover", { body: '{}' }, /^415$/, /expected image\/svg\+xml/],
    ["PUT Book('nope')/Cover", { body: PICTURE, ...SVG }, /^404$/, /"NotFound"/],
    ["DELETE Book('9783400000009')/Cover", {}, /^204$/, /^$/],
    ["GET Book('9783400000009')/Cover", {}, /^204$/, /^$/],
    ["DELETE Book('9783400000009')/Cover", {}, /^204$/, /^$/],
    ["DELETE Book('nope')/Cover", {}, /^404$/, /"NotFound"/],
    ["POST Book('9783400000009')/Cover", {}, /^405 allow: GET, HEAD, PUT, DELETE, OPTIONS$/, /"error"/],
  ])('%s %o', async (call, sent, head, body) => {
    const [found, text] = await answer(call, sent);
    expect(found).toMatch(head);
    expect(text).toMatch(body);
  });

  it('is the one that the upstream has', async () => {
    const [, text] = await answer("GET Book('9783401379111')/Cover");
    expect(text).toBe(await upstream('/books/9783401379111/cover'));
  });
});
