import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { odata } = useLibrary();

/** The message of a refused request. */
async function refusal(target: string): Promise<unknown> {
  const [path = '', query = ''] = target.split('?');
  const encoded = query.split('=').map(encodeURIComponent).join('=');
  const [status, text] = await odata(`GET ${path}?${encoded}`);
  return [status, JSON.parse(text).error?.message];
}

describe('what OData 2 and 3 write', () => {
  it.each([
    [
      "Member?$filter=Id eq guid'a5e52e5c-0000-4000-8000-000000000000'",
      "$filter: expected a5e52e5c-0000-4000-8000-000000000000, as since OData 4.0, at position 6, found guid'a5e52e5c-0000-4000-8000-00000000000…",
    ],
    [
      "Loan?$filter=LentAt gt datetime'2020-01-01T00:00:00'",
      "$filter: expected 2020-01-01T00:00:00Z, as since OData 4.0, at position 10, found datetime'2020-01-01T00:00:00'",
    ],
    [
      "Loan?$filter=LentAt gt datetimeoffset'2020-01-01T00:00:00+01:00'",
      "$filter: expected 2020-01-01T00:00:00+01:00, as since OData 4.0, at position 10, found datetimeoffset'2020-01-01T00:00:00+01:00…",
    ],
    [
      "Loan?$filter=Fine gt time'PT13H'",
      "$filter: expected duration'PT13H', as since OData 4.0, at position 8, found time'PT13H'",
    ],
    [
      "Book?$filter=Title eq X'ff'",
      "$filter: expected binary'_w', as since OData 4.0, at position 9, found X'ff'",
    ],
    [
      'Book?$filter=Price gt 10M',
      '$filter: expected 10 without M, as since OData 4.0, at position 9, found 10M',
    ],
    [
      'Book?$filter=-3.5f lt Price',
      '$filter: expected -3.5 without f, as since OData 4.0, at position 0, found -3.5f lt Price',
    ],
    ['Author(1L)', 'resource path: expected 1 without L, as since OData 4.0, at position 7, found 1L)'],
    [
      "Book?$filter=substringof('x',Title)",
      "$filter: expected contains(property,text), as since OData 4.0, at position 0, found substringof('x',Title)",
    ],
    ['Book?$inlinecount=allpages', '$inlinecount: expected $count=true, as since OData 4.0'],
    [
      'Author(1)/$links/Books',
      'resource path: expected $filter, $count, $ref, $value, $each or $query at position 10, found $links/Books (write /$ref behind the navigation property, as since OData 4.0)',
    ],
    [
      'Book?$expand=Author/Books',
      '$expand: expected a type derived from Library.Author, found "Books" (write Author($expand=Books)) at position 7',
    ],
  ])('is refused with what to write instead: %s', async (target, message) => {
    expect(await refusal(target)).toStrictEqual([400, message]);
  });
});

describe('what other languages write', () => {
  const found = (position: number, text: string) =>
    `$filter: expected an operator or the end at position ${position}, found ${text}`;

  it.each([
    ['Book?$filter=Price == 1', found(6, '== 1 (write eq)')],
    ['Book?$filter=Price != 1', found(6, '!= 1 (write ne)')],
    ['Book?$filter=Price >= 1', found(6, '>= 1 (write ge)')],
    ['Book?$filter=Price < 1', found(6, '< 1 (write lt)')],
    ['Book?$filter=Price eq 1 && Pages eq 1', found(11, '&& Pages eq 1 (write and)')],
    ["Book?$filter=Title contains 'x'", found(6, "contains 'x' (write contains(property,text))")],
    ["Book?$filter=Title like 'x'", found(6, "like 'x' (write contains(property,text))")],
    [
      'Author?$filter=Books($filter=Price gt 10)/$count gt 1',
      '$filter: expected Books/$count($filter=…) or Books/$filter(…) at position 6, found $filter=Price gt 10)/$count gt 1',
    ],
  ])('is refused with what to write instead: %s', async (target, message) => {
    expect(await refusal(target)).toStrictEqual([400, message]);
  });
});
