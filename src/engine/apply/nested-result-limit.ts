import type { Row, Value } from '../../contract/row.ts';
import { mapped } from '../../contract/work.ts';
import type { Run } from '../compile/evaluator.ts';
import { type Members, NO_MEMBERS } from '../results/members.ts';
import { heldMembers } from '../results/result-scope.ts';
import { isResult, membersOfType } from '../results/result-type.ts';
import { badRequest, type Scope } from '../scope/scope.ts';

/** Properties that hold instances, within others or not: transformations can double them again and again. */
const MOST_HOLDERS = 100;

/** Results that would hold instances in too many properties are a BadRequest at the transformation. */
export function limitNestedResults(scope: Scope, position: number): void {
  if (countHolders(heldMembers(scope)) <= MOST_HOLDERS) return;
  const message = `expected results that hold instances in at most ${MOST_HOLDERS} properties, found more`;
  throw badRequest(scope, position, message);
}

function countHolders(members: Members): number {
  return holdersIn(members).reduce(
    (sum, { within }) => (sum > MOST_HOLDERS ? sum : sum + 1 + countHolders(within)),
    0,
  );
}

/**
 * Counts the instances that results hold: in memory they are one where transformations use them again, but an
 * answer shows them as often. Undefined where nothing is held.
 */
export function countingHeld(scope: Scope): Run | undefined {
  const { current } = scope;
  const visit = visitHeld(heldMembers(scope), (rows) => current.budget.chargeRows(rows));
  if (visit === undefined) return undefined;
  return (rows) =>
    mapped(rows, current, (row) => {
      visit(row);
      return row;
    });
}

function visitHeld(members: Members, count: (instances: number) => void): ((row: Row) => void) | undefined {
  const holders = holdersIn(members).map(({ name, within }) => ({
    name,
    visit: visitHeld(within, count),
  }));
  if (holders.length === 0) return undefined;
  return (row) => {
    for (const { name, visit } of holders) {
      const held = instancesIn(row[name] ?? null);
      count(held.length);
      if (visit !== undefined) for (const instance of held) visit(instance);
    }
  };
}

function instancesIn(value: Value): readonly Row[] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]) as readonly Row[];
}

interface Holder {
  readonly name: string;
  readonly within: Members;
}

/** The properties that hold instances, and what transformations have put into those. */
function holdersIn({ navigation }: Members): readonly Holder[] {
  return [...navigation.values()].map(({ name, entityType }) => ({
    name,
    within: isResult(entityType) ? membersOfType(entityType) : NO_MEMBERS,
  }));
}
