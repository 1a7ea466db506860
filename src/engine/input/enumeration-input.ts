import type { EnumerationType } from '../../model/structured-type.ts';

/**
 * The names of an enumeration's members, separated by commas, that JSON stands for, or undefined where it does
 * not fit: names or numeric values, several of them or their sum for flags (JSON Format, 7.1; ABNF, enumValue).
 */
export function readEnumeration(type: EnumerationType, json: unknown): string | undefined {
  if (typeof json === 'number') return namesOfValue(type, json);
  if (typeof json !== 'string') return undefined;
  const parts = json.split(',').map((part) => namesOfPart(type, part.trim()));
  const isPossible = !parts.includes(undefined) && (parts.length === 1 || type.flags);
  return isPossible ? parts.join(',') : undefined;
}

function namesOfPart(type: EnumerationType, part: string): string | undefined {
  if (type.members.some(({ name }) => name === part)) return part;
  return /^[+-]?\d{1,15}$/.test(part) ? namesOfValue(type, Number(part)) : undefined;
}

function namesOfValue({ flags, members }: EnumerationType, value: number): string | undefined {
  const member = members.find((candidate) => candidate.value === value);
  if (member !== undefined || !flags) return member?.name;
  const single = members.filter(({ value: bit }) => bit !== 0 && (value & bit) === bit);
  const sum = single.reduce((total, { value: bit }) => total | bit, 0);
  return Number.isInteger(value) && sum === value ? single.map(({ name }) => name).join(',') : undefined;
}
