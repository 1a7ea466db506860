/** A target → the keys of the entities found, the text of a raw value, or a status with the error's message. */
export type RuleCase = readonly [target: string, answer: string | readonly [status: number, message: string]];

/** An expression about the thing `one` → its value, or a status with the error's message. */
export type ValueCase = readonly [expression: string, value: unknown];

/** Parsing of URLs and query options (U: Part 2, URL Conventions; P: Part 1, Protocol). */
export const URL_RULES: Readonly<Record<string, readonly RuleCase[]>> = {
  '1. a URL is split first, then each piece is decoded once (U 2.1)': [
    ["/Post('a%2Fb')/Id/$value", 'a/b'],
    ["/Post('%2525')/Id/$value", '%25'],
    ["/Post?$filter=Title eq 'x%26y%3D%2525'", '%25'],
    ["/Post?%24filter=Id%20eq%20'1'", '1'],
  ],
  '2. a quote within quotes is doubled, encoded or not (U 2.2)': [
    ["/Post('O''Neil')/Title/$value", 'plus+sign'],
    ['/Post(%27O%27%27Neil%27)/Title/$value', 'plus+sign'],
    ["/Post('O%27Neil')", [400, "resource path: expected ) at position 8, found Neil')"]],
    ["/Post?$filter=Id eq 'O''Neil'", "O'Neil"],
  ],
  '3. a slash in a key is encoded, or in the value of an alias (U 2.2, P 13.2.1)': [
    [
      "/Post('a/b')",
      [400, "resource path: expected %2F instead of a slash in quotes at position 7, found /b')"],
    ],
    ["/Post(@k)/Id/$value?@k='a/b'", 'a/b'],
    ["/Post(Id=@k)/Id/$value?@k='a%2Fb'", 'a/b'],
  ],
  '4. a key as segment has no quotes, and comes behind $-segments, types and operations (U 4.3.6)': [
    ["/Post/O'Neil/Title/$value", 'plus+sign'],
    ['/Post/a%2Fb/Id/$value', 'a/b'],
    ['/Post/$count', '5'],
    ['/Post/%24count', '5'],
    ['/Post/Sample.Post/$count', '5'],
    ['/Line/1/2/Text/$value', 'second'],
    ['/Line/1', [404, 'There is no resource "1" here.']],
    ['/Line/1/$count', [404, 'There is no resource /$count here.']],
    ['/Line/1/x', [404, 'There is no resource "x" here.']],
  ],
  '5. a key is one value, or values by name in any order (U 4.3.1)': [
    ["/Post(Id='1')/Id/$value", '1'],
    ['/Line(Order=1,Number=2)/Text/$value', 'second'],
    ['/Line(Number=2,Order=1)/Text/$value', 'second'],
    ['/Line(1,2)', [400, 'resource path: expected ) at position 6, found ,2)']],
    ['/Line(1)', [400, 'Key of Line: expected a value for Order and Number, each once.']],
  ],
  '6. + is a plus (U 2.1)': [
    ["/Post?$filter=Title eq 'plus+sign'", "O'Neil"],
    ["/Post?$filter=Title eq 'plus%2Bsign'", "O'Neil"],
    ["/Post?$filter=Title eq 'plus sign'", ''],
  ],
  '7. a system query option is given once, however it is written (U 5.1)': [
    ['/Post?$top=1&$top=1', [400, '$top: expected to be given once, found it twice']],
    ['/Post?$top=1&TOP=1', [400, '$top: expected to be given once, found it twice']],
    ['/Post?$top=1&%24Top=1', [400, '$top: expected to be given once, found it twice']],
  ],
  '8. options, operators and functions are in any case, names are not (P 13.2.1, U 5.1)': [
    ["/Post?filter=Id EQ '1' OR CONTAINS(Title,'amb')", '1,2'],
    ['/Post?OrderBy=UserId DESC,Id ASC&top=1', '%25'],
    [
      "/Post?$filter=id eq '1'",
      [400, "$filter: expected the property 'Id' of Sample.Post, found 'id' at position 0"],
    ],
    ['/post', [404, 'There is no resource "post" here: is "Post" meant?']],
  ],
  '9. an unknown option with $ fails, one without is a custom option (P 6.1, U 5.2)': [
    ['/Post?$foo=1', [400, '$foo: expected the name of a system query option, found none of them']],
    ['/Post?foo=1&api-key=x&$top=1', '1'],
  ],
  '10. what the standard has and the service has not is a 501, what does not fit a 400 (P 6.1, 9.3.1)': [
    [
      '/Post?$apply=aggregate(Forecast)',
      [501, "$apply: the custom aggregate 'Forecast' at position 10 is not implemented"],
    ],
    [
      "/Post?$filter=Title/@Core.Description eq 'x'",
      [501, "$filter: '@Core.Description' in an expression at position 6 is not implemented"],
    ],
    ["/Post('1')?$top=1", [400, '$top does not apply to a single entity']],
    ["/Post('1')/Title?$filter=true", [400, '$filter does not apply to a single primitive value']],
    ['/$metadata?$top=1', [400, '$top: expected no such option with this resource']],
  ],
  '11. an alias without a value is null, and has one value (P 11.2.6.1.3)': [
    ['/Post?$filter=Title eq @nothing', 'a/b'],
    ["/Post?$filter=Id eq @a&@a='1'", '1'],
    ["/Post?$filter=Id eq @a&@a='1'&@a='2'", [400, '@a: expected to be given once, found it twice']],
  ],
  '12. options are evaluated in the standard’s order, not in that of the URL (P 11.2.1)': [
    ['/Post?$top=1&$skip=1&$orderby=N desc&$filter=N gt 2&$search=e&$compute=length(Title) as N', '1'],
    ['/Post?$filter=Total gt 1&$apply=groupby((UserId),aggregate($count as Total))&$count=true', '2 of 1'],
  ],
  '13. $skip goes before $top, and the key decides between equals (P 11.2.6.3, 11.2.6.4)': [
    ['/Post?$top=2&$skip=1&$orderby=Id', '1,2'],
    ['/Post?$orderby=UserId&$top=3', 'a/b,2,1'],
    ['/Post?$orderby=UserId&$skip=2&$top=2', "1,O'Neil"],
  ],
  '14. $count is of all pages, and true or false; /$count is bare text (P 11.2.6.5, 11.2.10, U 4.8)': [
    ['/Post?$count=true&$top=1&$filter=UserId eq 2', '1 of 2'],
    ['/Post?$count=false&$top=1', '1'],
    ['/Post?$count=yes', [400, '$count: expected true or false at position 0, found yes']],
    ['/Post/$count?$filter=UserId eq 2', '2'],
    ['/Post/$count?$search=amber', '1'],
    ['/Post/$count?$top=1&$skip=1&$orderby=Id', '5'],
  ],
  '18. NOT binds tighter than AND, AND than OR, and a blank is an AND (U 5.1.8)': [
    ['/Post?$search=cedar OR amber', '1,2'],
    ['/Post?$search=NOT amber&$filter=UserId eq 2', "1,O'Neil"],
    ['/Post?$search=cedar OR amber NOT second', '1'],
    ['/Post?$search="the second"', '2'],
    ['/Post?$search=(cedar OR amber) AND second', '2'],
  ],
  '19. a filter keeps what is true, not what is null (U 5.1.2)': [
    ["/Post?$filter=not (Title eq 'amber')&$orderby=Id", "%25,1,O'Neil,a/b"],
    ["/Post?$filter=not contains(Title,'amber')&$orderby=Id", "%25,1,O'Neil"],
    ['/Post?$filter=null', ''],
  ],
  '33. any of nothing is false, all of nothing is true (U 5.1.1.13)': [
    ['/Thing?$filter=Tags/any()', 'one'],
    ["/Thing?$filter=Tags/any(t:t ne 'no')", 'one'],
    ["/Thing?$filter=Tags/all(t:t eq 'no')", 'none'],
    ["/Thing?$filter=Tags/any(Id:Id eq 'a')", 'one'],
    ['/Thing?$filter=Tags/all()', [400, '$filter: expected a lambda variable at position 9, found )']],
  ],
  '35. nulls are first ascending and last descending, false is before true (P 11.2.6.2)': [
    ['/Post?$orderby=Title', "a/b,1,2,O'Neil,%25"],
    ['/Post?$orderby=Title desc', "%25,O'Neil,2,1,a/b"],
    ["/Post?$orderby=Title eq 'amber',Id", "%25,1,O'Neil,a/b,2"],
    [
      '/Thing?$orderby=Spot',
      [400, '$orderby: expected a single primitive value to sort by, found Edm.GeographyPoint at position 0'],
    ],
  ],
};

/** Evaluation of expressions (Part 2, 5.1.1). */
export const VALUE_RULES: Readonly<Record<string, readonly ValueCase[]>> = {
  '19. a false operand decides and, a true one or; else null makes them null (5.1.1.1.7 to 5.1.1.1.9)': [
    ['NoFlag and false', false],
    ['NoFlag or true', true],
    ['NoFlag and true', null],
    ['NoFlag or false', null],
    ['not NoFlag', null],
  ],
  '20. a comparison with null is true or false, and never null (5.1.1.1.1 to 5.1.1.1.6)': [
    ['null eq null', true],
    ["Nothing eq 'x'", false],
    ["Nothing ne 'x'", true],
    ['NoNumber gt 1', false],
    ['NoNumber le 1', false],
  ],
  '21. a function of null is null, as is arithmetic with it (5.1.1.2, 5.1.1.4)': [
    ['length(Nothing)', null],
    ['NoNumber add 1', null],
    ['-NoNumber', null],
  ],
  '22. behind null is null, and a name that a closed type lacks is a mistake (5.1.1.15)': [
    ['Place/City', null],
    ['Place/Nope', [400, "$compute: expected a property of Sample.Place, found 'Nope' at position 6"]],
  ],
  '23. NaN is equal to nothing, INF to itself, true is greater than false (5.1.1.1)': [
    ['NaN eq NaN', false],
    ['INF eq INF', true],
    ['-INF lt -1e300', true],
    ['true gt false', true],
  ],
  '24. the case of letters matters to functions of strings (5.1.1.5, 5.1.1.7)': [
    ["contains('Abc','a')", false],
    ["indexof('Abc','z')", -1],
    ["contains('x','')", true],
    ["toupper('ä')", 'Ä'],
  ],
  '25. substring counts from zero, or from the end, and a length is not negative (5.1.1.5.7)': [
    ["substring('abc',1)", 'bc'],
    ["substring('abc',5)", ''],
    ["substring('abc',1,9)", 'bc'],
    ["substring('abc',-2,1)", 'b'],
    [
      'substring(Id,0,-1)',
      [400, "$compute: 'substring' expects a length that is not negative, found -1 at position 0"],
    ],
  ],
  '26. matchesPattern looks for the pattern anywhere (5.1.1.7.1)': [
    ["matchesPattern('xaby','a.')", true],
    ["matchesPattern('xaby','^a')", false],
  ],
  '27. div of integers cuts off, divby does not, mod has the sign of the left (5.1.1.2.5, 5.1.1.2.6)': [
    ['-7 div 2', -3],
    ['7 divby 2', 3.5],
    ['-7 mod 2', -1],
    ['7 div 0', [400, "$compute: division by zero in 'div' at position 2"]],
    ['7 divby 0', 'INF'],
    ['1e0 div 0', 'INF'],
  ],
  '28. halves are rounded away from zero (5.1.1.9)': [
    ['round(-0.5)', -1],
    ['round(2.5)', 3],
    ['round(-2.4)', -2],
  ],
  '29. numbers are promoted, strings are no numbers, but literals are cast (5.1.1.18)': [
    ['7 eq 7.0', true],
    ["Day eq '2024-02-29'", true],
    ["Code eq '0123ABCD-0123-4567-89AB-0123456789AB'", true],
    [
      "Small eq '7'",
      [400, "$compute: 'eq' expects operands of one type, found Edm.Int32 and Edm.String at position 6"],
    ],
  ],
  '30. durations and enumerations are literals with and without their type (5.1.1.14.1)': [
    ["Span eq duration'P1DT2H'", true],
    ["Span eq 'P1DT2H'", true],
    ["Colour eq Sample.Colour'Red'", true],
    ["Colour eq 'Red'", true],
    ["Colour has 'Red'", true],
  ],
  '31. dates and times are read in the offset that they are written in (5.1.1.8)': [
    ['day(2024-02-29T23:30:00%2B02:00)', 29],
    ['hour(2024-03-01T00:30:00-05:00)', 0],
    ['day(At)', 29],
    ['hour(At)', 23],
  ],
  '32. a cast that fails is null (5.1.1.10.1)': [
    ["cast('x',Edm.Int32)", null],
    ["cast('5',Edm.Int32)", 5],
    ["cast('300',Edm.Byte)", null],
  ],
  '34. operators bind from has and in over -, not, mul, add, gt, eq, and to or (5.1.1.17)': [
    ['1 add 2 mul 3', 7],
    ['1 lt 2 eq true', true],
    ['not (1 in (2)) and true', true],
    ['true or false and false', true],
    ['-2 mul 3', -6],
    ['10 sub 2 sub 3', 5],
  ],
  '35. a date is its midnight in UTC where it is compared with a point in time (5.1.1.1)': [
    ['2024-05-01 eq 2024-05-01T00:00:00Z', true],
    ['2024-05-01T02:00:00+02:00 eq 2024-05-01', true],
    ['2024-05-01 lt 2024-05-01T00:00:00.001Z', true],
    ['date(now()) le now()', true],
    ['now() lt date(now())', false],
  ],
  '36. Binary and Geography are compared to null only (5.1.1.1)': [
    [
      'Spot ge null',
      [400, "$compute: 'ge' expects values that have an order, found Edm.GeographyPoint at position 5"],
    ],
    [
      'null lt Data',
      [400, "$compute: 'lt' expects values that have an order, found Edm.Binary at position 5"],
    ],
    [
      'Place gt null',
      [400, "$compute: 'gt' expects values that have an order, found Sample.Place at position 6"],
    ],
    [
      'Tags le null',
      [400, "$compute: 'le' expects values that have an order, found Collection(Edm.String) at position 5"],
    ],
    [
      "Data gt binary'T0RhdGE'",
      [400, "$compute: 'gt' expects values that have an order, found Edm.Binary at position 5"],
    ],
    [
      'Spot ge Spot',
      [400, "$compute: 'ge' expects values that have an order, found Edm.GeographyPoint at position 5"],
    ],
    ['Spot eq null', true],
    ['Data eq null', false],
    [
      'Spot eq Spot',
      [
        400,
        "$compute: 'eq' compares Edm.GeographyPoint only to null, found Edm.GeographyPoint at position 5",
      ],
    ],
    [
      "Data eq binary'T0RhdGE'",
      [400, "$compute: 'eq' compares Edm.Binary only to null, found Edm.Binary at position 5"],
    ],
  ],
};
