/** A read and the expected body; `~` is the service root. */
export interface ReadCase {
  readonly target: string;
  readonly body: unknown;
}

const CEDAR = { UserId: 2, Id: '1', Title: 'Cedar', Body: 'First' };
const AMBER = { UserId: 1, Id: '2', Title: 'amber', Body: 'Second' };
const UNTITLED = { UserId: 2, Id: '3', Title: null, Body: 'Third' };
const ONEIL = { UserId: null, Id: '10', Title: "O'Neil & Sons / 100%", Body: null };
const ALL = [CEDAR, AMBER, UNTITLED, ONEIL];

const posts = (...value: readonly object[]) => ({ '@odata.context': '~/$metadata#Post', value });
const filtered = (filter: string, ...value: readonly object[]): ReadCase => ({
  target: `/Post?$filter=${encodeURIComponent(filter)}`,
  body: posts(...value),
});

export const READS: readonly ReadCase[] = [
  {
    target: '',
    body: { '@odata.context': '~/$metadata', value: [{ name: 'Post', kind: 'EntitySet', url: 'Post' }] },
  },
  {
    target: '/',
    body: { '@odata.context': '~/$metadata', value: [{ name: 'Post', kind: 'EntitySet', url: 'Post' }] },
  },
  { target: '/Post', body: posts(...ALL) },
  { target: '/Post/', body: posts(...ALL) },

  // Part 1, 11.2.2: one entity, and every way to write its key (Part 2, 4.3).
  { target: "/Post('1')", body: { '@odata.context': '~/$metadata#Post/$entity', ...CEDAR } },
  { target: "/Post(Id='1')", body: { '@odata.context': '~/$metadata#Post/$entity', ...CEDAR } },
  { target: '/Post(%271%27)', body: { '@odata.context': '~/$metadata#Post/$entity', ...CEDAR } },
  { target: '/Post/1', body: { '@odata.context': '~/$metadata#Post/$entity', ...CEDAR } },
  { target: "/Post(@k)?@k='1'", body: { '@odata.context': '~/$metadata#Post/$entity', ...CEDAR } },
  {
    target: "/Post('10')?$select=Title",
    body: {
      '@odata.context': '~/$metadata#Post(Title)/$entity',
      '@odata.id': "Post('10')",
      Title: "O'Neil & Sons / 100%",
    },
  },

  // Part 1, 11.2.5.1: $select.
  {
    target: '/Post?$select=Id,Title&$top=1',
    body: { '@odata.context': '~/$metadata#Post(Id,Title)', value: [{ Id: '1', Title: 'Cedar' }] },
  },
  {
    target: '/Post?$select=Title&$top=1',
    body: {
      '@odata.context': '~/$metadata#Post(Title)',
      value: [{ '@odata.id': "Post('1')", Title: 'Cedar' }],
    },
  },
  { target: '/Post?$select=*&$top=1', body: { '@odata.context': '~/$metadata#Post(*)', value: [CEDAR] } },

  // Part 1, 11.2.6.1 and Part 2, 5.1.1: $filter.
  filtered('UserId eq 2', CEDAR, UNTITLED),
  filtered('UserId ne 2', AMBER, ONEIL),
  filtered('UserId gt 1', CEDAR, UNTITLED),
  filtered('UserId ge 1', CEDAR, AMBER, UNTITLED),
  filtered('UserId lt 2', AMBER),
  filtered('UserId le 1', AMBER),
  filtered("UserId eq 2 and Title eq 'Cedar'", CEDAR),
  filtered("UserId eq 1 or Title eq 'Cedar'", CEDAR, AMBER),
  filtered("not (UserId eq 2 or Title eq 'amber')", ONEIL),
  filtered("Title eq 'amber' or UserId eq 2 and Body eq 'First'", CEDAR, AMBER),
  filtered("(Title eq 'amber' or UserId eq 2) and Body eq 'First'", CEDAR),
  filtered("contains(Title,'eda')", CEDAR),
  filtered("startswith(Title,'a')", AMBER),
  filtered("endswith(Title,'r')", CEDAR, AMBER),
  filtered("not contains(Title,'eda')", AMBER, ONEIL),
  filtered('Title eq null', UNTITLED),
  filtered("Title eq 'O''Neil & Sons / 100%'", ONEIL),
  filtered("Id eq '1'", CEDAR),
  { target: '/Post?filter=UserId%20eq%201', body: posts(AMBER) },
  { target: '/Post?%24filter=UserId%20EQ%201', body: posts(AMBER) },

  // Part 1, 11.2.6.2: nulls first ascending, last descending.
  { target: '/Post?$orderby=Title', body: posts(UNTITLED, CEDAR, ONEIL, AMBER) },
  { target: '/Post?$orderby=Title%20desc', body: posts(AMBER, ONEIL, CEDAR, UNTITLED) },
  { target: '/Post?$orderby=UserId%20desc,Title%20asc', body: posts(UNTITLED, CEDAR, AMBER, ONEIL) },

  // Part 1, 11.2.6.3 to 5: $skip before $top; $count ignores both.
  { target: '/Post?$top=1&$skip=1&$orderby=Id', body: posts(ONEIL) },
  {
    target: '/Post?$top=0&$count=true',
    body: { '@odata.context': '~/$metadata#Post', '@odata.count': 4, value: [] },
  },
  {
    target: '/Post?$count=true&$filter=UserId%20eq%202&$top=1',
    body: { '@odata.context': '~/$metadata#Post', '@odata.count': 2, value: [CEDAR] },
  },
  { target: '/Post?$count=false&$skip=3', body: posts(ONEIL) },

  // Part 1, 11.2.10.
  { target: '/Post/$count', body: 4 },
  { target: '/Post/$count?$filter=UserId%20eq%202', body: 2 },

  // Custom options are ignored (Part 2, 5.2).
  { target: '/Post?api-version=2&$top=1', body: posts(CEDAR) },
];
