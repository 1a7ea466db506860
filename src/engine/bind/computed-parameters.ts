import type { Callable } from '../../model/edm.ts';
import { castLiteral, commonType, promote } from '../operators/coerce.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import type { ComputedParameters } from '../scope/reads.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import { someExpression } from '../scope/some-expression.ts';
import type { Expression, NameSegment } from '../tree/expression-tree.ts';
import { typeOfUse } from '../typing/model-type.ts';

const CONSTANTS: ReadonlySet<string> = new Set(['literal', 'list', 'object']);

/** Whether the URL says all parameters. */
export function isConstantCall({ arguments: given = [] }: NameSegment, scope: Scope): boolean {
  return given.every(({ value }) => isConstant(value, scope));
}

function isConstant(value: Expression, { aliases }: Pick<Scope, 'aliases'>): boolean {
  const meant = value.kind === 'alias' ? aliases.get(value.name) : value;
  return meant === undefined || CONSTANTS.has(meant.kind);
}

/** Binds the parameters that a row tells. They are needed before the query runs, and can read that row alone. */
export function computedParameters(
  { parameters }: Callable,
  { arguments: given = [] }: NameSegment,
  scope: Scope,
  bind: BindExpression,
): ComputedParameters {
  const computed = given.filter(({ value }) => !isConstant(value, scope));
  return new Map(
    computed.flatMap(({ name, value }) => {
      const parameter = parameters.find((each) => each.name === name);
      if (parameter === undefined) return [];
      const bound = requireOfRow(bind(value, scope), scope);
      const type = typeOfUse(parameter);
      return [
        [parameter.name, { value: fitting(bound, type, scope), nullable: parameter.nullable }] as const,
      ];
    }),
  );
}

function fitting(value: BoundExpression, type: BoundExpression['type'], scope: Scope): BoundExpression {
  const cast = castLiteral(value, type, scope);
  if (commonType(cast.type, type) === type) return promote(cast, type);
  throw badRequest(scope, value.position, `expected a parameter of ${type}, found ${quote(value.type)}`);
}

/** What is loaded or made after the calls, and what lambda operators go through, is not there yet. */
function requireOfRow(value: BoundExpression, scope: Scope): BoundExpression {
  const { calls = new Map(), computed, outer, these, rollupNodes = [], roots } = scope;
  const elsewhere = [outer, these, ...rollupNodes, ...roots].map((each) => each?.variable.cell);
  const isMissing = (node: BoundExpression) =>
    ('name' in node && (calls.has(node.name) || isMade(node, computed))) ||
    (node.kind === 'variable' && elsewhere.includes(node.cell));
  if (scope.instance === scope.row && scope.variables.size === 0 && !someExpression(value, isMissing))
    return value;
  throw notImplemented(scope, value.position, 'a parameter that is not computed from the entity alone');
}

/** A property that transformations of `$apply` have added. */
function isMade(node: BoundExpression, computed: Scope['computed']): boolean {
  return node.kind === 'property' && computed.get(node.name)?.expression.kind === 'property';
}
