/** A GET of the library, and its status; what is found wrong, and where, for one that is refused. */
export type GrammarCase = readonly [target: string, status: number, message?: string];

const OF_LITERALS: readonly GrammarCase[] = [
  ['Author?$filter=Id eq %2B1', 200],
  ["Author?$filter=LastName ne 'a!$''()*+,;=:@/?b'", 200],
  ['Author?$filter=23:59:60 eq 23:59:60', 200],
  ['Author?$filter=Born lt 1990-01-01T00:00:00Z', 200],
  ["Author?$filter=duration'%2BP6D' gt duration'P1D'", 400, '$filter: expected a duration at position 9'],
  ['Author?$filter=Born gt -0001-01-01', 200],
  ['Loan?$filter=LentAt gt -0001-01-01T00:00:00Z&$top=1', 200],
  ['Author?$filter=Born gt -0001-02-30', 400, "expected Edm.Date, found '-0001-02-30' at position 8"],
  ['Author?$filter=Born gt -0000-01-01', 400, "expected Edm.Date, found '-0000-01-01' at position 8"],
  [
    'Loan?$filter=LentAt gt 2020-01-01T24:00:00Z',
    400,
    'expected the rest of a date and time at position 22, found 4:00:00Z',
  ],
  ['Author?$filter=LastName in (FirstName,LastName)', 400, 'expected a literal or an alias at position 13'],
  ['Author?$filter=LastName in FirstName', 400, "'in' expects a list, found Edm.String at position 12"],
];

const OF_PATHS: readonly GrammarCase[] = [
  ['Author/$filter(Id gt 3)(Id=5)', 200],
  ['Author/$filter(Id gt 3)(Id=2)', 404, 'There is no Author(2).'],
  ['$entity?$id=Author(1)&$select=Id', 400, '$select: expected a type after $entity'],
  ['$entity?$id=Author(1)&$expand=Books', 400, '$expand: expected a type after $entity'],
  ['$entity/Library.Author?$id=Author(1)&$select=Id', 200],
  [
    'Member(78279141-b951-5b28-84c2-c9895943afeb)/Address/$value',
    400,
    '/$value: expected a media entity or a single primitive value.',
  ],
  ['LendingStatistics?From=2026-01-01', 200],
  ['LendingStatistics?@From=2026-01-01', 200],
  [
    'LendingStatistics()?From=2026-01-01',
    400,
    'LendingStatistics: expected the parameters From, To?, Genre?',
  ],
];

const OF_OPTIONS: readonly GrammarCase[] = [
  ['Author?$filter= Id eq 1', 400, '$filter: expected an expression at position 0, found  Id eq 1'],
  ['Author?$filter=Id  eq  1', 200],
  ['Author?$filter=not(Id eq 1)', 200],
  ['Author?$filter=Id eq 1 and(Id eq 1)', 400, 'expected a space after and at position 11, found (Id eq 1)'],
  ['Author?$filter=Id eq 1 or(Id eq 1)', 400, 'expected a space after or at position 10, found (Id eq 1)'],
  ['Author?$filter=Id eq(1)', 400, 'expected a space after eq at position 5, found (1)'],
  ['Author?$filter=Id in(1,2)', 400, 'expected a space after in at position 5, found (1,2)'],
  ["Author?$filter=LastName eq'x'", 400, "expected a space after eq at position 11, found 'x'"],
  ['Author?$filter=(Id eq 1)and (Id eq 1)', 400, 'expected an operator or the end at position 9, found and'],
  ['Author?$count=True', 400, '$count: expected true or false at position 0, found True'],
  [
    'Author?$select=Books/Title',
    400,
    "$select: expected nothing after the navigation property 'Books': its entities' properties are selected within $expand at position 0",
  ],
  ['Author?$filter=Id eq 1 foo', 400, '$filter: expected an operator or the end at position 8, found foo'],
  ['Author?$search=a;b', 400, '$search: expected the end at position 1, found ;b'],
  ['Author(1)?$expand=Books($search=a%3Bb;$select=Title)', 200],
  ['Author(1)?$expand=Books($search=a;b)', 400, 'at position 16, found b)'],
  ['Author?$expand=books', 400, 'found "books" at position 0: is "Books" meant?'],
  ['Author?$orderby=Id desc,', 400, '$orderby: expected an expression at position 8, found the end'],
];

const OF_EXPRESSIONS: readonly GrammarCase[] = [
  ['Book?$filter=Library.GetAvailability() ne null&$top=1', 200],
  ['Book?$filter=Library.GetAvailability ne null', 400, "found 'Library.GetAvailability' at position 0"],
  ['Book?$filter=GetAvailability ne null', 400, "found 'GetAvailability' at position 0"],
  ['Book?$filter=LendingStatistics ne null', 400, "found 'LendingStatistics' at position 0"],
  ['Author?$filter=Books add 1 eq 2', 400, 'found Collection(Library.Book) and Edm.Int32'],
  ["Author?$filter=Languages add 'a' eq 'b'", 400, 'found Collection(Edm.String) and Edm.String'],
  ['Member?$filter=Address gt null', 400, "'gt' expects values that have an order, found Library.Address"],
  ['Member?$filter=Address le Address', 400, "'le' expects values that have an order, found Library.Address"],
  ['Author?$filter=$these/$count gt 1', 200],
];

const AUDIO = 'Library.AudioBook';
const TWICE = `${AUDIO}/${AUDIO}`;
const OF_CASTS: readonly GrammarCase[] = [
  [`Book/${TWICE}`, 400, `expected each type cast once, found ${AUDIO} twice in a row`],
  [`Book('9783400000009')/${TWICE}`, 400, `found ${AUDIO} twice in a row`],
  [`Book?$filter=${TWICE}/Narrator eq 'x'`, 400, `'${AUDIO}' twice in a row at position 18`],
  [`Book?$orderby=${TWICE}/Narrator`, 400, `'${AUDIO}' twice in a row at position 18`],
  [`Book?$select=${TWICE}/Narrator`, 400, `'${AUDIO}' twice in a row at position 0`],
  [`Book?$apply=groupby((${TWICE}/Narrator))`, 400, `'${AUDIO}' twice in a row`],
  [`Author?$filter=Books/any(b:b/${TWICE}/Narrator eq 'x')`, 400, `'${AUDIO}' twice in a row at position 32`],
  [`Author?$filter=Books/${TWICE}/any()`, 400, `'${AUDIO}' twice in a row at position 24`],
  [`Author?$expand=Books/${TWICE}`, 400, `found "${TWICE}"`],
  [`Book?$expand=${TWICE}/Author`, 400, `found "${AUDIO}"`],
  [`Book?$filter=${AUDIO}/Narrator eq ${AUDIO}/Narrator`, 200],
];

const OF_APPLY: readonly GrammarCase[] = [
  ['Loan?$apply=aggregate(Fine with sum from MemberId with average as X)', 200],
  ['Loan?$apply=aggregate(Fine with sum from MemberId as X)', 400, 'expected with and an aggregation method'],
  [
    'Loan?$apply=aggregate(Fine with sum from MemberId from Id with max as X)',
    400,
    'expected with and an aggregation method at position 37',
  ],
  [
    'Book?$apply=aggregate(Price from Genre from AuthorId with sum as X)',
    400,
    "$apply: expected with and an aggregation method after the property 'Price' at position 10",
  ],
  ['Book?$apply=aggregate(Price as X)', 400, "after the property 'Price' at position 10"],
  ['Author?$apply=aggregate(Books/Price)', 400, "after the property 'Books/Price' at position 10"],
  ['Book?$apply=aggregate(Forecast from Genre)', 400, 'expected as and an alias at position 29'],
  ['Author?$apply=aggregate(Books/Price mul 2 with sum as X)', 400],
  [
    'Author?$apply=aggregate(Languages add 1 with sum as X)',
    400,
    'found Collection(Edm.String) and Edm.Int32',
  ],
  ['Author?$apply=aggregate(Languages with sum as X)', 400, "'sum' expects a number, found Edm.String"],
  ['Author?$apply=aggregate(Books/$count mul 2 with sum as X)', 200],
  ['Loan?$apply=topcount(0,Id)', 400, "'topcount' expects a positive integer, found 0"],
  ['Loan?$apply=bottomcount(0,Id)', 400, "'bottomcount' expects a positive integer, found 0"],
  ['Loan?$apply=toppercent(0,Id)', 400, "'toppercent' expects a positive number up to 100, found 0"],
  ['Loan?$apply=bottompercent(0,Id)', 400, "'bottompercent' expects a positive number up to 100, found 0"],
  ['Loan?$apply=groupby((Member/LastName))&$select=Member/LastName', 200],
  ['Loan?$apply=filter(Id eq 1))', 400, '$apply: expected the end at position 15, found )'],
];

/** Corners of the grammar (ABNF of OData 4.01 and of Data Aggregation 4.0), by what they are about. */
export const GRAMMAR: Readonly<Record<string, readonly GrammarCase[]>> = {
  literals: OF_LITERALS,
  paths: OF_PATHS,
  options: OF_OPTIONS,
  expressions: OF_EXPRESSIONS,
  'type casts': OF_CASTS,
  $apply: OF_APPLY,
};
