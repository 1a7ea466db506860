import fc from 'fast-check';
import type { EntityType } from '../../src/model/edm.ts';
import type { Model } from '../../src/model/model.ts';

/** Maximum nesting of expressions and options. */
const DEPTH = 2;

const LITERALS = [
  'null',
  'true',
  '0',
  '-1',
  '9007199254740993',
  '1.5',
  'INF',
  "'a'",
  "''",
  '2026-01-01',
  "duration'P1D'",
];
const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'le',
  'add',
  'sub',
  'mul',
  'div',
  'divby',
  'mod',
  'and',
  'or',
  'has',
  'in',
];
const CALLS = [
  'length',
  'tolower',
  'trim',
  'year',
  'date',
  'round',
  'now',
  'concat',
  'contains',
  'indexof',
  'substring',
  'matchesPattern',
  'cast',
  'isof',
  'hassubset',
];

/** Targets below the service root, made of the grammar over the names of the model; many of them make no sense. */
export function odataTargets(model: Model): fc.Arbitrary<string> {
  const sets = [...model.entitySets.values()];
  return fc
    .constantFrom(...sets)
    .chain(({ name, entityType }) =>
      fc
        .tuple(pathBehind(entityType), queryOptions(model, entityType, DEPTH))
        .map(
          ([path, options]) =>
            `/${name}${path}${options.length > 0 ? `?${encodeURI(options.join('&'))}` : ''}`,
        ),
    );
}

/** Targets with one unknown name. */
export function mistakenTargets(model: Model): fc.Arbitrary<string> {
  const sets = [...model.entitySets.values()];
  return fc.constantFrom(...sets).chain(({ name, entityType }) => {
    const expressions = expression(model, entityType, 1);
    return fc
      .tuple(expressions, fc.constantFrom('$filter', '$orderby', '$compute', '$apply', '$select', '$expand'))
      .map(([valid, option]) => {
        const wrong = {
          $filter: `(${valid}) eq 1 and Nope eq 1`,
          $orderby: `Nope,${valid}`,
          $compute: `Nope as A,${valid} as B`,
          $apply: `filter(Nope eq 1)/compute(${valid} as A)`,
          $select: 'Nope',
          $expand: 'Nope',
        }[option];
        return `/${name}?${encodeURI(`${option}=${wrong}`)}`;
      });
  });
}

function pathBehind({ key, navigationProperties }: EntityType): fc.Arbitrary<string> {
  const keys = key.map((name) => `${name}='1'`).join();
  const navigation = [...navigationProperties.keys()];
  return fc.constantFrom(
    '',
    '',
    '',
    '',
    '/$count',
    `(${keys})`,
    '/$ref',
    ...navigation.map((name) => `(${keys})/${name}`),
  );
}

type Options = fc.Arbitrary<readonly string[]>;

function queryOptions(model: Model, type: EntityType, depth: number): Options {
  const expressions = expression(model, type, depth);
  const option = fc.oneof(
    expressions.map((text) => `$filter=${text}`),
    fc.tuple(expressions, fc.constantFrom('', ' desc')).map(([text, order]) => `$orderby=${text}${order}`),
    expressions.map((text) => `$compute=${text} as Made`),
    fc.constantFrom(
      '$count=true',
      '$top=3',
      '$skip=1',
      '$search=a',
      '$search=NOT "b c"',
      '$format=json',
      '$levels=2',
    ),
    propertyOf(type).map((name) => `$select=${name}`),
    apply(model, type, depth).map((text) => `$apply=${text}`),
    expand(model, type, depth),
  );
  return fc.uniqueArray(option, { maxLength: 3, selector: (text) => text.split('=')[0] });
}

function propertyOf({ structuralProperties, navigationProperties }: EntityType): fc.Arbitrary<string> {
  return fc.constantFrom(...structuralProperties.keys(), ...navigationProperties.keys(), '$it', '$this');
}

function expand(model: Model, { navigationProperties }: EntityType, depth: number): fc.Arbitrary<string> {
  const related = [...navigationProperties.values()];
  if (related.length === 0 || depth === 0) return fc.constant('$expand=*');
  return fc.constantFrom(...related).chain(({ name, entityType }) => {
    return queryOptions(model, entityType, depth - 1).map((options) =>
      options.length === 0 ? `$expand=${name}` : `$expand=${name}(${options.join(';')})`,
    );
  });
}

function apply(model: Model, type: EntityType, depth: number): fc.Arbitrary<string> {
  const expressions = expression(model, type, depth);
  const name = propertyOf(type);
  const step = fc.oneof(
    expressions.map((text) => `filter(${text})`),
    expressions.map((text) => `compute(${text} as Made)`),
    name.map((each) => `groupby((${each}),aggregate($count as N))`),
    name.map((each) => `aggregate(${each} with max as M)`),
    name.map((each) => `join(${each} as J)`),
    name.map((each) => `topcount(2,${each})`),
    fc.constantFrom(
      'identity',
      'skip(1)',
      'concat(identity,identity)',
      'nest(identity as A)',
      'orderby($it)',
    ),
  );
  return fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
}

function expression(model: Model, type: EntityType, depth: number): fc.Arbitrary<string> {
  const leaf = fc.oneof(propertyOf(type), fc.constantFrom(...LITERALS), fc.constantFrom(...pathsOf(type)));
  if (depth === 0) return leaf;
  const inner = expression(model, type, depth - 1);
  return fc.oneof(
    leaf,
    fc.tuple(inner, fc.constantFrom(...OPERATORS), inner).map(([left, operator, right]) => {
      return operator === 'in' ? `${left} in (${right})` : `(${left} ${operator} ${right})`;
    }),
    fc
      .tuple(fc.constantFrom(...CALLS), fc.array(inner, { maxLength: 3 }))
      .map(([name, given]) => `${name}(${given.join()})`),
    fc
      .tuple(propertyOf(type), fc.constantFrom('any', 'all'), inner)
      .map(([name, kind, text]) => `${name}/${kind}(x:x eq ${text})`),
    fc.tuple(inner, inner).map(([condition, value]) => `case(${condition}:${value},true:null)`),
    inner.map((text) => `not ${text}`),
  );
}

/** Paths of two names. */
function pathsOf({ navigationProperties, structuralProperties }: EntityType): readonly string[] {
  const related = [...navigationProperties.values()].flatMap(({ name, entityType, collection }) => {
    const names = [...entityType.structuralProperties.keys()].slice(0, 3);
    return collection ? [`${name}/$count`] : names.map((each) => `${name}/${each}`);
  });
  return [...related, ...[...structuralProperties.keys()].map((name) => `$it/${name}`)];
}
