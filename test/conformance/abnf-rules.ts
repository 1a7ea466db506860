import type { Expression } from '../../src/engine/tree/query-tree.ts';
import type { RequestTarget } from '../../src/odata/url/request-target.ts';
import { literalEntries } from './abnf-literal-rules.ts';

/** Converts a case of a grammar rule to a request target, with the expected tree. */
export interface RuleEntry {
  readonly before: string;
  readonly after?: string;
  /** The rule's text is not of a URL: it is percent-encoded first. */
  readonly encode?: boolean;
  readonly check?: (target: RequestTarget) => boolean;
  /** The rule is narrower than what we read, so that we may go wrong later; space around it is not of it. */
  readonly narrow?: boolean;
}

/** A rule's texts are accepted where one of its entries accepts them. */
export function entriesOf(rule: string): readonly RuleEntry[] {
  const name = rule.replace(/^(optionallyQ|q)ualified/, 'qualified');
  const literals = literalEntries(rule);
  const entry = ENTRIES.get(name) ?? PATTERNS.find(([pattern]) => pattern.test(name))?.[1];
  if (rule === 'count') return [PATH_END, option('count')];
  if (literals.length > 0) return literals;
  return entry === undefined ? ANYWHERE : [entry];
}

const PATH_END: RuleEntry = { before: '/Products' };
const FILTER: RuleEntry = { before: '/Products?$filter=' };
/** Positions in a URL for rules without an entry. */
const ANYWHERE: readonly RuleEntry[] = [
  { before: '/' },
  PATH_END,
  { before: '/Products/' },
  { before: '/Products?' },
  FILTER,
  { before: '/Products?$apply=' },
];
const PARENTHESES: RuleEntry = { before: '/Products?$filter=Available(', after: ')' };

const ENTRIES = new Map<string, RuleEntry>([
  ...same({ before: '/' }, 'odataRelativeUri resourcePath crossjoin allEntities metadata batch entity'),
  ...same(
    { before: '/', check: isSingleName },
    'entitySetName singletonEntity actionImport actionImportCall',
  ),
  ...same(
    PATH_END,
    'keyPredicate compoundKey simpleKey keyPathSegments collectionNavigation collectionNavPath',
  ),
  ...same(PATH_END, 'filterInPath each ref querySegment boundOperation'),
  ...same({ before: '/Products(1)' }, 'singleNavigation value'),
  ...same(
    { before: '/Products(1)/Address' },
    'complexPath complexColPath primitivePath primitiveColPath ordinalIndex',
  ),
  ...same({ before: '/Products(1)/' }, 'propertyPath boundActionCall annotationInUri'),
  ['keyPathLiteral', { before: '/Products/' }],
  ...same({ before: '/Products(', after: ')' }, 'keyValuePair keyPropertyValue'),
  ['functionParameters', { before: '/Available' }],
  ...same({ before: '/Available(', after: ')' }, 'functionParameter parameterAlias'),
  ...same({ before: '/Products(', after: '=1)' }, 'keyPropertyAlias primitiveKeyProperty'),
  ['parameterName', { before: '/Available(', after: '=1)' }],

  ...same({ before: '/Products?' }, 'queryOptions queryOption systemQueryOption'),
  ...same({ before: '/$batch?' }, 'batchOptions batchOption'),
  ...same({ before: '/$metadata?' }, 'metadataOptions metadataOption'),
  ['entityOptions', { before: '/$entity?' }],
  ['entityCastOptions', { before: '/$entity/Customer?' }],
  ...same({ before: '/$entity?$id=x&' }, 'entityIdOption entityCastOption'),
  ...'apply compute deltatoken expand filter format id index orderby schemaversion search select skip skiptoken top'
    .split(' ')
    .map((rule): [string, RuleEntry] => [rule, option(rule)]),
  ['orderBy', option('orderby')],
  ['inlinecount', option('count')],
  ['aliasAndValue', { before: '/Products?', check: ({ options }) => options.aliases.size === 1 }],
  ...same(
    { before: '/Products?', check: ({ options }) => options.custom?.size === 1 },
    'customQueryOption nameAndValue',
  ),
  ['customName', { before: '/Products?', check: ({ options }) => options.custom?.size === 1 }],
  ['customValue', { before: '/Products?sap-client=' }],
  ['parameterValue', { before: '/Products?@p=' }],

  ...same(
    { before: '/Products?$expand=' },
    'expandItem expandPath annotationInExpand entityAnnotationInQuery',
  ),
  ...same({ before: '/Products?$expand=Items(', after: ')' }, 'levels expandOption'),
  ['expandCountOption', { before: '/Products?$expand=Items/$count(', after: ')' }],
  ['expandRefOption', { before: '/Products?$expand=Items/$ref(', after: ')' }],
  ...same({ before: '/Products?$select=' }, 'selectItem selectProperty selectPath allOperationsInSchema'),
  ...same({ before: '/Products?$select=' }, 'qualifiedActionName qualifiedFunctionName'),
  ['parameterNames', { before: '/Products?$select=Available(', after: ')' }],
  ...same({ before: '/Products?$select=Names(', after: ')' }, 'selectOption selectOptionPC'),
  ['computeItem', { before: '/Products?$compute=' }],
  ['orderbyItem', { before: '/Products?$orderby=' }],
  ...same(
    { before: '/Products?$search=' },
    'searchExpr searchOrExpr searchAndExpr searchNegateExpr searchParenExpr',
  ),
  ...same({ before: '/Products?$search=' }, 'searchPhrase searchWord searchTerm searchString'),

  ...same(
    { ...FILTER, check: isPath },
    'firstMemberExpr memberExpr directMemberExpr propertyPathExpr annotationExpr',
  ),
  ...same(
    { ...FILTER, check: isPath },
    'annotationInQuery inscopeVariableExpr implicitVariableExpr lambdaVariableExpr',
  ),
  ...same({ ...FILTER, check: isCall }, 'isofExpr castExpr'),
  ...same({ before: '/Products?$filter=Items/' }, 'anyExpr allExpr aggregateFunctionExpr'),
  ...same(
    { before: '/Products?$filter=Items' },
    'collectionPathExpr collectionNavigationExpr filterExpr complexColPathExpr',
  ),
  ...same({ before: '/Products?$filter=Product' }, 'singleNavigationExpr complexPathExpr primitivePathExpr'),
  ['lambdaPredicateExpr', { before: '/Products?$filter=Items/any(p:', after: ')' }],
  ...same({ before: '/Products?$filter=Name in ' }, 'listExpr'),
  ...'and or eq ne lt le gt ge has in add sub mul div divby mod'
    .split(' ')
    .map((operator): [string, RuleEntry] => [`${operator}Expr`, { before: '/Products?$filter=1' }]),
  ['functionExprParameters', { before: '/Products?$filter=Available' }],
  ['functionExprParameter', PARENTHESES],
  ...same(FILTER, 'arrayOrObject array object'),
  ['stringInUrl', { before: '/Products?$filter=[', after: ']' }],

  ...same({ before: '/Products?$apply=' }, 'applyExpr applyTrafo customFunction'),
  ...same({ before: '/Products?$apply=aggregate(', after: ')' }, 'aggregateExpr customAggregate'),
  ['groupbyElement', { before: '/Products?$apply=groupby((', after: '))' }],
  ['groupingProperty', { before: '/Products?$apply=groupby((', after: '))' }],
  ['groupbyList', { before: '/Products?$apply=groupby(', after: ')' }],

  ...same(
    { before: '/Products?$compute=1 as ', check: isAlias },
    'odataIdentifier computedProperty expressionAlias',
  ),
  ...same({ before: '/Products?$compute=1 as ', check: isAlias }, 'namespacePart termName enumerationMember'),
  ['namespace', { before: '/Products?$select=', after: '.*' }],
  ...same(
    { before: '/Products?$filter=isof(', after: ')', check: isCall },
    'qualifiedTypeName singleQualifiedTypeName',
  ),
]);

/** Entries for other rules by the pattern of their names. */
const PATTERNS: readonly (readonly [RegExp, RuleEntry])[] = [
  [/(Method|^)CallExpr$|^caseExpr$/i, FILTER],
  [/(Sng|Col|Sgl)?Expr$|^(bool)?commonExpr$/i, FILTER],
  [/Trafo$/, { before: '/Products?$apply=' }],
  [/^rollup/, { before: '/Products?$apply=groupby((', after: '))' }],
  [/FunctionImportCall(NoParens)?$/i, { before: '/' }],
  [/^bound.+Call/, { before: '/Products(1)/' }],
  [/^(qualified.+|primitive)TypeName$/, { before: '/Products?$filter=isof(', after: ')', check: isCall }],
  [/FunctionImport$/, { before: '/', check: isSingleName }],
  [/^(qualified)?action$|Function$|Property$|TypeName$/i, { before: '/Products(1)/' }],
];

function option(rule: string): RuleEntry {
  return { before: '/Products?', check: ({ options }) => isOnlyOption(options, rule) };
}

function same(entry: RuleEntry, rules: string): (readonly [string, RuleEntry])[] {
  return rules.split(' ').map((rule) => [rule, entry]);
}

function isOnlyOption(options: RequestTarget['options'], rule: string): boolean {
  const names = Object.keys(options).filter((name) => name !== 'aliases');
  return names.length === 1 && names[0]?.toLowerCase() === rule.toLowerCase();
}

function isSingleName({ path }: RequestTarget): boolean {
  return path.kind === 'resource' && path.segments.length === 1;
}

function isAlias({ options }: RequestTarget): boolean {
  return options.compute?.length === 1;
}

function isPath({ options: { filter } }: RequestTarget): boolean {
  return kindOf(filter) === 'path' || kindOf(filter) === 'alias';
}

function isCall({ options }: RequestTarget): boolean {
  return kindOf(options.filter) === 'call';
}

function kindOf(expression: Expression | undefined): string | undefined {
  return expression?.kind;
}
