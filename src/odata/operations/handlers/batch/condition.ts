import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { RequestBudget } from '../../../../contract/request-budget.ts';
import { finished } from '../../../../contract/work.ts';
import { ExactNumber, isObject } from '../../../../engine/input/input-value.ts';
import { quote } from '../../../../engine/input/mistakes.ts';
import { compileValueCount } from '../../../../engine/pipeline/compile-value-query.ts';
import { beginRun } from '../../../../engine/values/current-run.ts';
import { decodeBody, parseObject } from '../../../payload/body/body-json.ts';
import { parseRequestTarget } from '../../../url/request-target.ts';
import type { Service } from '../../service/service.ts';
import { failedDependency, type Outcome, type Outcomes } from './outcome.ts';

/**
 * Demands that the expression of a request's `if` is true (JSON Format, 19.1): `$1/Title eq 'x'` compares what the
 * answer to request 1 has there. FailedDependency where it is not; what is only rehearsed may come to be true.
 */
export function demandCondition(
  { model, limits }: Service,
  condition: string,
  outcomes: Outcomes,
  budget: RequestBudget,
): void {
  const values = new Map<string, string>();
  for (const [reference, id = '', path = ''] of condition.matchAll(REFERENCE)) {
    const outcome = outcomes.get(id);
    if (outcome?.kind === 'rehearsed') return;
    if (outcome !== undefined) values.set(reference, literal(valueAt(id, path, outcome), reference));
  }
  const text = condition.replaceAll(REFERENCE, (reference) => values.get(reference) ?? reference);
  if (isTrue({ model, limits }, text, budget)) return;
  throw new GatewayError('FailedDependency', `This request is for ${quote(condition)}, which is not true.`);
}

/** An expression without names is a filter of a row that says nothing. */
function isTrue(
  { model, limits }: Pick<Service, 'model' | 'limits'>,
  expression: string,
  budget: RequestBudget,
): boolean {
  try {
    const target = `/if?$filter=${encodeURIComponent(expression)}`;
    const { filter, aliases } = parseRequestTarget(target, limits.url).options;
    const options = { ...(filter && { filter }), aliases };
    const query = compileValueCount(model, TRUTH, options, limits.query);
    return finished(query.run(beginRun(budget), [true])) === 1;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.target !== '$filter') throw error;
    throw new GatewayError(error.code, error.message.replace('$filter', 'if'), { target: 'if' });
  }
}

const TRUTH = { type: { kind: 'primitive', name: 'Edm.Boolean' }, collection: true } as const;

/** Strings are passed over: what is in them refers to nothing. */
const REFERENCE = /'(?:[^']|'')*'|\$([\w.~-]+)((?:\/\w+)*)/g;

function valueAt(id: string, path: string, outcome: Outcome): unknown {
  if (outcome.kind !== 'done') throw failedDependency(id);
  const { body, headers } = outcome.response ?? { body: undefined, headers: {} };
  if (body === undefined || !headers['content-type']?.startsWith('application/json')) return null;
  const text = typeof body === 'string' ? body : decodeBody(body, false);
  const steps = path.split('/').slice(1);
  return (
    steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : null), parseObject(text)) ?? null
  );
}

/** A value as an expression has it (Part 2, 5.1.1.14). */
function literal(value: unknown, reference: string): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof ExactNumber) return value.text;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new GatewayError('BadRequest', `if: expected the path of a single value, found ${quote(reference)}.`);
}
