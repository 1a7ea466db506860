import type { Query } from './sample.ts';

/** A query with a mistake, and what its error says. */
type MistakeCase = readonly [query: Query, target: string, message: string];

const filter = ($filter: string, message: string): MistakeCase => [{ $filter }, '$filter', message];

/** A name, a type or a value that does not fit: 400. */
export const MISTAKES: readonly MistakeCase[] = [
  filter('Nope eq 1', `expected a property of Sample.Post, found 'Nope' at position 0`),
  filter(
    'UserId eq 1 and title eq null',
    `expected the property 'Title' of Sample.Post, found 'title' at position 16`,
  ),
  filter('__proto__ eq 1', `expected a property of Sample.Post, found '__proto__' at position 0`),
  filter('constructor eq 1', `expected a property of Sample.Post, found 'constructor' at position 0`),
  filter('Title/length eq 1', `expected nothing after Edm.String, found 'length' at position 6`),
  filter('$it gt $it', `'gt' expects values that have an order, found Sample.Post at position 4`),
  filter('[1] lt [2]', `'lt' expects values that have an order, found Collection(Edm.Int32) at position 4`),
  filter(
    `[1] eq ['x']`,
    `'eq' expects operands of one type, found Collection(Edm.Int32) and Collection(Edm.String) at position 4`,
  ),
  filter('$it eq Title', `'eq' expects operands of one type, found Sample.Post and Edm.String at position 4`),
  filter(`UserId eq 'x'`, `'eq' expects operands of one type, found Edm.Int32 and Edm.String at position 7`),
  filter(`Id eq 1`, `'eq' expects operands of one type, found Edm.String and Edm.Int32 at position 3`),
  filter(`UserId in (1,'x')`, 'expected Edm.Int32 as the items before, found Edm.String at position 13'),
  filter(
    "$root/Nope('1')/Title eq 'x'",
    `expected an entity set or a singleton after $root, found 'Nope' at position 0`,
  ),
  filter(`UserId in Id`, `'in' expects a list, found Edm.String at position 10`),
  filter('Title and true', `'and' expects Edm.Boolean, found Edm.String at position 0`),
  filter('true or UserId', `'or' expects Edm.Boolean, found Edm.Int32 at position 8`),
  filter('not UserId', `'not' expects Edm.Boolean, found Edm.Int32 at position 4`),
  filter('-Title eq null', `'-' expects a number or a duration, found Edm.String at position 0`),
  filter('Title', '$filter expects Edm.Boolean, found Edm.String at position 0'),
  filter('UserId add 1', '$filter expects Edm.Boolean, found Edm.Int64 at position 7'),
  filter(
    `Title add 'x' eq null`,
    `'add' expects numbers, or dates and durations, found Edm.String and Edm.String at position 6`,
  ),
  filter(
    `UserId sub now() eq null`,
    `'sub' expects numbers, or dates and durations, found Edm.Int32 and Edm.DateTimeOffset at position 7`,
  ),
  filter(
    `contains(UserId,'a')`,
    `'contains' expects (Edm.String, Edm.String) or (collection, collection), found (Edm.Int32, Edm.String) at position 0`,
  ),
  filter(
    `year('x') eq 1`,
    `'year' expects (Edm.Date) or (Edm.DateTimeOffset), found (Edm.String) at position 0`,
  ),
  filter(
    'geo.length(Title) gt 1',
    `'geo.length' expects (Edm.GeographyLineString), found (Edm.String) at position 0`,
  ),
  filter(`now() gt 'x'`, `expected Edm.DateTimeOffset, found 'x' at position 9`),
  filter(`date(now()) eq '2023-02-29'`, `expected Edm.Date, found '2023-02-29' at position 15`),
  filter('date(now()) eq 2023-02-29', `expected Edm.Date, found '2023-02-29' at position 15`),
  filter(`Title has 'x'`, `'has' expects an enumeration, found Edm.String at position 6`),
  filter(
    `Title has Sample.Colour'Red'`,
    `expected an enumeration type of the model, found 'Sample.Colour' at position 10`,
  ),
  filter(`Title/any(t:t eq 'x')`, `'any' expects a collection, found Edm.String at position 6`),
  filter('Title/$count gt 1', `'$count' expects a collection, found Edm.String at position 6`),
  filter(`[1,'x'] eq null`, `expected Edm.Int32 as the items before, found Edm.String at position 3`),
  filter(
    `case(true:1,false:'x') eq 1`,
    `'case' expects values of one type, found Edm.Int32 and Edm.String at position 18`,
  ),
  filter('case(UserId:1) eq 1', `'case' expects Edm.Boolean, found Edm.Int32 at position 5`),
  filter(`cast(Id,Sample.Nope) eq null`, `expected a type of the model, found 'Sample.Nope' at position 8`),
  filter('isof(Id,UserId)', `expected a type of the model, found 'UserId' at position 8`),
  filter(
    `UserId in ('1')`,
    `'in' expects operands of one type, found Edm.Int32 and Edm.String at position 11`,
  ),
  filter('1 div 0 eq 1', `division by zero in 'div' at position 2`),
  filter('UserId mod 0 eq 1', `division by zero in 'mod' at position 7`),
  filter('1.5 div 0.0 eq 1', `division by zero in 'div' at position 4`),
  filter('9223372036854775807 add 1 eq 1', `the result of 'add' is beyond Edm.Int64 at position 20`),
  filter(
    `matchesPattern(Title,'(')`,
    `'matchesPattern' expects a regular expression, found a malformed one at position 0`,
  ),
  filter(
    `matchesPattern(Title,'${'a'.repeat(257)}')`,
    `'matchesPattern' expects at most 256 characters, found 257 at position 0`,
  ),
  filter(
    `matchesPattern(Title,'a','mx')`,
    `'matchesPattern' expects the flags i, m and s, found 'mx' at position 0`,
  ),
  filter(
    `matchesPattern(Title,'a','mm')`,
    `'matchesPattern' expects the flags i, m and s, found 'mm' at position 0`,
  ),
  [
    { $filter: '@a eq 1', '@a': '@b', '@b': '@a' },
    '@b',
    `expected a value, found that '@a' refers to itself at position 0`,
  ],
  [
    { $filter: '@a', '@a': 'Nope eq 1' },
    '@a',
    `expected a property of Sample.Post, found 'Nope' at position 0`,
  ],
  [{ $orderby: 'Nope' }, '$orderby', `expected a property of Sample.Post, found 'Nope' at position 0`],
  [
    { $orderby: 'Title,$it' },
    '$orderby',
    'expected a single primitive value to sort by, found Sample.Post at position 6',
  ],
  [
    { $orderby: '[1]' },
    '$orderby',
    'expected a single primitive value to sort by, found Collection(Edm.Int32) at position 0',
  ],
  [{ $select: 'Nope' }, '$select', `expected a property of Sample.Post, found 'Nope' at position 0`],
  [
    { $select: 'Id,Title/Length' },
    '$select',
    `expected nothing after the primitive 'Title', found '/Length' at position 3`,
  ],
  [
    { $select: 'Title($top=1)' },
    '$select',
    `expected nothing after the primitive 'Title', found options at position 0`,
  ],
  [{ $compute: 'Id as __proto__' }, '$compute', `expected a name, found '__proto__' at position 0`],
  [{ $compute: 'Id as Title' }, '$compute', `expected an unused name, found 'Title' at position 0`],
  [{ $compute: 'Id as A,Id as A' }, '$compute', `expected an unused name, found 'A' at position 8`],
  [{ $compute: 'A as A' }, '$compute', `expected a property of Sample.Post, found 'A' at position 0`],
];

/** Parts of the standard that are not supported: 501. */
export const NOT_IMPLEMENTED: readonly MistakeCase[] = [
  [{ $expand: 'Author' }, '$expand', '$expand is not implemented'],
  [{ $skiptoken: 'x' }, '$skiptoken', '$skiptoken is not implemented'],
  [{ $deltatoken: 'x' }, '$deltatoken', '$deltatoken is not implemented'],
  filter(
    `geo.length(geography'SRID=25832;LineString(0 0,1 1)') gt 1`,
    `the geography 'SRID=25832;LineString(0 0,1 1)' at position 11 is not implemented`,
  ),
  filter(
    `geometry'SRID=0;Point(0 0)' eq null`,
    'a literal of type Edm.Geometry at position 0 is not implemented',
  ),
  filter('@Core.Messages eq null', `'@Core.Messages' in an expression at position 0 is not implemented`),
  filter(
    `matchesPattern(Title,'(a)\\1')`,
    `'matchesPattern' with a pattern that cannot be matched in linear time at position 0 is not implemented`,
  ),
  filter(
    `matchesPattern(Title,'(a)\\1','i')`,
    `'matchesPattern' with a pattern that cannot be matched in linear time at position 0 is not implemented`,
  ),
  filter(
    `matchesPattern(Title,'(?<=a)b')`,
    `'matchesPattern' with a pattern that cannot be matched in linear time at position 0 is not implemented`,
  ),
  filter(
    `matchesPattern(Title,'a{1001}')`,
    `'matchesPattern' with a pattern that cannot be matched in linear time at position 0 is not implemented`,
  ),
  filter(
    `matchesPattern(Title,'a(?=b)')`,
    `'matchesPattern' with a pattern that cannot be matched in linear time at position 0 is not implemented`,
  ),
];
