import type { RequestTarget } from '../../src/odata/url/request-target.ts';
import type { Expression, Literal } from '../../src/odata/url/tree.ts';

/** How a case of a grammar rule becomes a request target, and what its tree must then be. */
export interface RuleEntry {
  readonly before: string;
  readonly after?: string;
  /** The rule's text is not of a URL: it is percent-encoded first. */
  readonly encode?: boolean;
  readonly check?: (target: RequestTarget) => boolean;
  /** The rule is narrower than what we read, so that we may go wrong later. */
  readonly narrow?: boolean;
}

/** Rules that are no URL grammar, and where their texts are handled instead. */
export const OTHER_RULES: Readonly<Record<string, string>> = {
  context: 'context URLs are written, never read: their fragment is for clients',
  header: 'headers are read by the endpoint',
  prefer: 'preferences are read by the endpoint',
  preference: 'preferences are read by the endpoint',
  'request-id': 'identifiers of requests in a batch are read by the batch operation',
};

const INTEGERS = ['Edm.Int32', 'Edm.Int64'];
const NUMBERS = [...INTEGERS, 'Edm.Decimal', 'Edm.Double'];

/** A rule's texts are accepted where one of its entries accepts them. */
export function entriesOf(rule: string): readonly RuleEntry[] {
  if (rule === 'primitiveValue')
    return [
      'decimalValue',
      'booleanValue',
      'dateValue',
      'dateTimeOffsetValue',
      'timeOfDayValue',
      'guidValue',
      'durationValue',
      'binaryValue',
    ].flatMap(entriesOf);
  const entry = ENTRIES.get(rule) ?? geoEntry(rule);
  return entry === undefined ? [] : [entry];
}

const ENTRIES = new Map<string, RuleEntry>([
  ...same({ before: '/' }, 'odataRelativeUri resourcePath crossjoin'),
  ['entitySetName', { before: '/', check: isSingleName }],
  ['functionParameter', { before: '/Function(', after: ')' }],
  ['keyPredicate', { before: '/Products' }],
  ['compoundKey', { before: '/Products' }],
  ['simpleKey', { before: '/Products' }],
  ...same({ before: '/Products?' }, 'queryOptions systemQueryOption'),
  ...'apply compute count deltatoken expand filter format id index orderby orderBy schemaversion search select skip skiptoken top'
    .split(' ')
    .map((rule): [string, RuleEntry] => [
      rule,
      { before: '/Products?', check: ({ options }) => isOnlyOption(options, rule) },
    ]),
  ['aliasAndValue', { before: '/Products?', check: ({ options }) => options.aliases.size === 1 }],
  ['customQueryOption', { before: '/Products?', check: ({ options }) => options.custom?.size === 1 }],
  ['inlinecount', { before: '/Products?', check: ({ options }) => isOnlyOption(options, 'count') }],
  ...same(
    { before: '/Products?$filter=' },
    'commonExpr boolCommonExpr boolcommonExpr methodCallExpr functionExpr rootExpr parenExpr arrayOrObject',
  ),
  ...same(
    { before: '/Products?$filter=', check: isPath },
    'firstMemberExpr memberExpr propertyPathExpr annotationExpr',
  ),
  ...same({ before: '/Products?$filter=', check: isCall }, 'isofExpr castExpr'),
  ...same({ before: '/Products?$filter=Items/' }, 'anyExpr allExpr'),
  ...same({ before: '/Products?$filter=Items' }, 'collectionPathExpr'),
  ['expandItem', { before: '/Products?$expand=' }],
  ['selectItem', { before: '/Products?$select=' }],
  ['computeItem', { before: '/Products?$compute=' }],
  ['orderbyItem', { before: '/Products?$orderby=' }],
  ['searchExpr', { before: '/Products?$search=' }],
  ['parameterValue', { before: '/Products?@p=' }],
  ['levels', { before: '/Products?$expand=Items(', after: ')' }],
  ['odataIdentifier', { before: '/Products?$compute=1 as ' }],
  ['stringInUrl', { before: '/Products?$filter=[', after: ']' }],
  ['booleanValue', { before: '/Products?$count=', encode: true }],
  ['primitiveLiteral', literal()],
  ['null', literal('null')],
  ['boolean', literal('Edm.Boolean')],
  ['binaryLiteral', literal('Edm.Binary')],
  ['stringLiteral', literal('Edm.String')],
  ['enumLiteral', literal('Edm.String', 'qualified')],
  ['enum', literal('Edm.String', 'qualified')],
  ['durationLiteral', literal('Edm.Duration', 'Edm.String')],
  ['duration', literal('Edm.Duration', 'Edm.String')],
  [
    'binaryValue',
    { ...literal('Edm.Binary'), before: "/Products?$filter=binary'", after: "'", encode: true },
  ],
  [
    'durationValue',
    { ...literal('Edm.Duration'), before: "/Products?$filter=duration'", after: "'", encode: true },
  ],
  [
    'enumValue',
    { ...literal('qualified'), before: "/Products?$filter=Model.Enum'", after: "'", encode: true },
  ],
  ...numbers('byte', INTEGERS, 0, 255),
  ...numbers('sbyte', INTEGERS, -128, 127),
  ...numbers('int16', INTEGERS, -32768, 32767),
  ...numbers('int32', INTEGERS, -(2 ** 31), 2 ** 31 - 1),
  ...numbers('int64', INTEGERS, -(2 ** 63), 2 ** 63),
  ...['decimal', 'double', 'single'].flatMap((type) => numbers(type, NUMBERS, -Infinity, Infinity)),
  ...values('date', 'Edm.Date'),
  ...values('dateTimeOffset', 'Edm.DateTimeOffset'),
  ...values('timeOfDay', 'Edm.TimeOfDay'),
  ...values('guid', 'Edm.Guid'),
]);

function same(entry: RuleEntry, rules: string): (readonly [string, RuleEntry])[] {
  return rules.split(' ').map((rule) => [rule, entry]);
}

/** The forms of a type in a URL, `x` and `xLiteral`, and in a body, `xValue`. */
function values(name: string, type: string): (readonly [string, RuleEntry])[] {
  return forms(name, literal(type));
}

function numbers(name: string, types: readonly string[], least: number, most: number) {
  return forms(
    name,
    literalThat(({ type, text }) => types.includes(type) && inRange(text, least, most)),
  );
}

function inRange(text: string, least: number, most: number): boolean {
  const value = Number(text.replace('INF', 'Infinity'));
  return Number.isNaN(value) || (value >= least && value <= most);
}

function forms(name: string, entry: RuleEntry): (readonly [string, RuleEntry])[] {
  return [
    [name, entry],
    [`${name}Literal`, entry],
    [`${name}Value`, { ...entry, encode: true }],
  ];
}

function literal(...types: readonly string[]): RuleEntry {
  return literalThat(({ type }) => types.length === 0 || types.includes(type));
}

function literalThat(check: (literal: Literal) => boolean): RuleEntry {
  return {
    before: '/Products?$filter=',
    narrow: true,
    check: ({ options: { filter } }) => filter?.kind === 'literal' && check(filter),
  };
}

/** geographyPoint and the like: a literal of that type and shape. */
function geoEntry(rule: string): RuleEntry | undefined {
  const [, kind, shape] = /^(geography|geometry)(\w+)$/.exec(rule) ?? [];
  if (kind === undefined || shape === undefined) return undefined;
  const type = kind === 'geography' ? 'Edm.Geography' : 'Edm.Geometry';
  const form = new RegExp(`^SRID=\\d+;(?:Geometry)?${shape}\\(`, 'i');
  return literalThat((found) => found.type === type && form.test(found.text));
}

function isOnlyOption(options: RequestTarget['options'], rule: string): boolean {
  const names = Object.keys(options).filter((name) => name !== 'aliases');
  return names.length === 1 && names[0]?.toLowerCase() === rule.toLowerCase();
}

function isSingleName({ path }: RequestTarget): boolean {
  return path.kind === 'resource' && path.segments.length === 1;
}

function isPath({ options }: RequestTarget): boolean {
  return kindOf(options.filter) === 'path';
}

function isCall({ options }: RequestTarget): boolean {
  return kindOf(options.filter) === 'call';
}

function kindOf(expression: Expression | undefined): string | undefined {
  return expression?.kind;
}
