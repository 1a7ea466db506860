import { describe, expect, it } from 'vitest';
import { useLibrary } from './library-gateway.ts';

const { answer } = useLibrary();

const FULL = { headers: { accept: 'application/json;odata.metadata=full' } };

const MEMBER = 'Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)';
const HARBOUR = "Book('9783401379111')";
const OF_BOOK = `"#Library.GetAvailability":{"title":"Says how many copies can be borrowed now","target":"${HARBOUR}/Library.GetAvailability()"}`;
const OF_LOAN = '"#Library.Return":{"title":"Takes a copy back","target":"Loan(1)/Library.Return"}';

/** The links and operations of an entity: JSON Format, 4.5.8, 4.5.9, 16 and 17. */
function linksOf(body: string, navigation?: string): string {
  const json = JSON.parse(body);
  const [entity] = [navigation === undefined ? (json.value ?? json) : json[navigation]].flat();
  const links = Object.entries(entity).filter(([name]) => /^@odata\.\w+Link$|^#/.test(name));
  return JSON.stringify(Object.fromEntries(links));
}

describe('the links of an entity (JSON Format, 4.5.9)', () => {
  it.each([
    ['Loan(1)', 'Member', `{"@odata.editLink":"${MEMBER}"}`],
    ['Loan(1)', 'Copy', `{"@odata.editLink":"Copy(ISBN='9783400000009',CopyNumber=1)"}`],
    [MEMBER, 'Loans', `{"@odata.readLink":"Loan(1)",${OF_LOAN}}`],
    [HARBOUR, 'Author', '{"@odata.editLink":"Author(2)"}'],
    [HARBOUR, 'Copies', `{"@odata.editLink":"Copy(ISBN='9783401379111',CopyNumber=1)"}`],
    [HARBOUR, 'Reviews', `{"@odata.editLink":"${HARBOUR}/Reviews(1)"}`],
    ['Author(2)', 'Books', `{"@odata.editLink":"${HARBOUR}/Library.PrintedBook",${OF_BOOK}}`],
  ])('are the same behind %s and within it as %s', async (owner, navigation, links) => {
    const [, behind] = await answer(`GET ${owner}/${navigation}`, FULL);
    const [, within] = await answer(`GET ${owner}?$expand=${navigation}`, FULL);
    expect([linksOf(behind), linksOf(within, navigation)]).toStrictEqual([links, links]);
  });

  it.each([
    [
      "ReadingList('summer')/Books?$filter=ISBN eq '9783404137336'",
      "Book('9783404137336')/Library.PrintedBook",
    ],
    [`${MEMBER}/Loans(1)/Member`, MEMBER],
    [
      'Book?$apply=filter(AuthorId eq 2)/groupby((AuthorId),topcount(1,Price))',
      "Book('9783467576394')/Library.PrintedBook",
    ],
  ])('lead to where the entity can be changed: %s', async (path, link) => {
    const [, body] = await answer(`GET ${path}`, FULL);
    expect(JSON.parse(linksOf(body))['@odata.editLink']).toBe(link);
  });
});
