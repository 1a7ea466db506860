import type { Arguments } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import type { ReadPlan } from './read-plan.ts';

/** A plan in one line: `keys 7, 8`, `list maker_id=m7 until 5`, `ids ids=[7,8]`. */
export function planText(plan: ReadPlan): string {
  if (plan.kind === 'keys') {
    const keys = plan.keys.map((key) => Object.values(key).map(valueText).join('/'));
    return `keys ${keys.join(', ')}`;
  }
  if (plan.kind === 'ids') return `ids ${plan.each.map(argumentsText).join(' | ')}`;
  const { each, end, isExact } = plan;
  const lists = each?.map(argumentsText).join(' | ') ?? '';
  const parts = [
    each === undefined ? 'list' : 'lists',
    argumentsText(plan.arguments),
    lists,
    end === undefined ? '' : `until ${end}`,
    isExact ? 'for its total' : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function argumentsText(args: Arguments): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');
}

function valueText(value: Value): string {
  return typeof value === 'object'
    ? JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
    : String(value);
}
