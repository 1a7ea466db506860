type Refusal = { readonly code: 'BadRequest' | 'UriTooLong'; readonly message: string };

/** Description → raw target → error. */
export const LIMITS: readonly (readonly [string, string, Refusal])[] = [
  [
    'a URL of more than 8 KiB',
    `/X?${'a'.repeat(8190)}`,
    {
      code: 'UriTooLong',
      message:
        'The URL is longer than 8192 characters (URL_LENGTH). Send the query in the body of a POST, to the same path with /$query behind it.',
    },
  ],
  ['500 parentheses', filter(`${'('.repeat(500)}a${')'.repeat(500)}`), tooDeep('$filter', 30)],
  ['2,000 × not', filter('not '.repeat(2000)), tooDeep('$filter', 124)],
  ['2,000 × minus', filter('-'.repeat(2000)), tooDeep('$filter', 31)],
  ['1,000 × concat', filter('concat('.repeat(1000)), tooDeep('$filter', 186 + 30)],
  ['1,000 × cast', filter('cast('.repeat(1000)), tooDeep('$filter', 154)],
  ['1,000 × case', filter('case('.repeat(1000)), tooDeep('$filter', 154)],
  ['1,000 × [', filter('['.repeat(1000)), tooDeep('$filter', 30)],
  ['1,000 × {', filter('{"a":'.repeat(1000)), tooDeep('$filter', 150)],
  ['1,000 × a function of the service', filter('f(a='.repeat(1000)), tooDeep('$filter', 121)],
  ['1,000 × /$filter', filter('a/$filter('.repeat(800)), tooDeep('$filter', 310)],
  [
    '1,000 × collections of shapes',
    filter(`geography'SRID=0;${'Collection('.repeat(700)}`),
    tooDeep('$filter', 358),
  ],
  ['1,000 × ( in $search', `/X?$search=${'('.repeat(1000)}`, tooDeep('$search', 30)],
  ['1,000 × NOT in $search', `/X?$search=${'NOT '.repeat(1000)}x`, tooDeep('$search', 124)],
  ['1,000 × $select in $select', `/X?$select=${'a($select='.repeat(800)}`, tooDeep('$select', 302)],
  ['1,000 × concat in $apply', `/X?$apply=${'concat('.repeat(1000)}`, tooDeep('$apply', 216)],
  ['200 × or', filter(Array(201).fill('a eq 1').join(' or ')), tooMany('$filter', 250)],
  ['a path of 200 names', filter(Array(200).fill('a').join('/')), tooMany('$filter', 202)],
  ['200 search terms', `/X?$search=${Array(200).fill('a').join(' ')}`, tooMany('$search', 200)],
  ['200 names in $select', `/X?$select=${Array(200).fill('a').join()}`, tooMany('$select', 200)],
  ['200 segments', `/${Array(200).fill('a').join('/')}`, tooMany('resource path', 202)],
  [
    '$expand five levels deep',
    '/X?$expand=a($expand=b($expand=c($expand=d($expand=e))))',
    refusal('$expand: expected at most 4 levels of $expand (QUERY_EXPAND_DEPTH) at position 40, found e))))'),
  ],
  [
    '$levels beyond that',
    '/X?$expand=a($levels=5)',
    refusal('$expand: expected at most 4 levels (QUERY_EXPAND_DEPTH) at position 10, found 5)'),
  ],
  [
    '$levels of * beyond four',
    '/X?$expand=*($levels=5)',
    refusal('$expand: expected at most 4 levels (QUERY_EXPAND_DEPTH) at position 10, found 5)'),
  ],
  [
    '$levels in $expand',
    '/X?$expand=a($expand=b($levels=4))',
    refusal('$expand: expected at most 3 levels (QUERY_EXPAND_DEPTH) at position 20, found 4))'),
  ],
  [
    'any in any in any in any',
    filter('a/any(b:b/any(c:c/any(d:d/any(e:e))))'),
    refusal('$filter: expected at most 3 nested any or all (QUERY_LAMBDA_DEPTH) at position 32, found e))))'),
  ],
  [
    'six items in $orderby',
    '/X?$orderby=a,b,c,d,e,f',
    refusal('$orderby: expected at most 5 items (QUERY_ORDERBY_ITEMS) at position 10, found f'),
  ],
];

function filter(expression: string): string {
  return `/X?$filter=${expression}`;
}

function refusal(message: string): Refusal {
  return { code: 'BadRequest', message };
}

function tooDeep(subject: string, position: number): Refusal {
  return refusal(`${subject}: expected at most 30 levels of nesting (QUERY_DEPTH) at position ${position}`);
}

function tooMany(subject: string, position: number): Refusal {
  return refusal(`${subject}: expected at most 100 expressions (QUERY_NODES) at position ${position}`);
}
