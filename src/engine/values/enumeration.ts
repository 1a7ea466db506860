import type { Value } from '../../contract/row.ts';
import type { EnumerationMember, EnumerationType } from '../../model/edm.ts';

const NUMBER = /^[+-]?\d{1,15}$/;
/** Members that a message names. */
const NAMED_MEMBERS = 20;

/**
 * The value that a literal's text names (Part 2, 5.1.1.14.1): members by name or by number, several of them,
 * separated by commas, where they are flags. Undefined where it names none.
 */
export function parseEnumeration(type: EnumerationType, text: string): string | undefined {
  const parts = text.split(',').map((part) => numberOf(type, part.trim()));
  const numbers = parts.filter((part) => part !== undefined);
  if (numbers.length < parts.length || (numbers.length > 1 && !type.flags)) return undefined;
  return writeEnumeration(type, union(numbers));
}

function numberOf({ members }: EnumerationType, text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : members.find(({ name }) => name === text)?.value;
}

function union(numbers: readonly number[]): number {
  return Number(numbers.reduce((all, number) => all | BigInt(number), 0n));
}

/** The member names for a number, if any. */
function writeEnumeration({ flags, members }: EnumerationType, value: number): string | undefined {
  const exact = members.find((member) => member.value === value);
  if (exact !== undefined || !flags || value <= 0) return exact?.name;
  const parts = members.filter((member) => member.value > 0 && hasFlags(value, member.value));
  return union(parts.map((part) => part.value)) === value
    ? withoutCovered(parts)
        .map(({ name }) => name)
        .join(',')
    : undefined;
}

/** The members of a combination without those that others contain. */
function withoutCovered(parts: readonly EnumerationMember[]): readonly EnumerationMember[] {
  return parts.filter(
    (part) => !parts.some((other) => other.value !== part.value && hasFlags(other.value, part.value)),
  );
}

/** The number behind a value, by which values are compared and sorted. */
export function enumerationNumber(type: EnumerationType): (value: string) => number | null {
  const numbers = new Map<string, number>(type.members.map(({ name, value }) => [name, value]));
  return (value) => {
    const known = numbers.get(value);
    if (known !== undefined) return known;
    const parts = value.split(',').map((part) => numbers.get(part.trim()));
    return parts.includes(undefined) ? null : union(parts as readonly number[]);
  };
}

/** Whether all bits of `flags` are set in the value (5.1.1.1.10). */
export function hasFlags(value: number, flags: number): boolean {
  const isSmall = value <= 0x7fff_ffff && flags <= 0x7fff_ffff;
  return isSmall ? (value & flags) === flags : (BigInt(value) & BigInt(flags)) === BigInt(flags);
}

/** Whether values are equal where their names are. */
export function isNamedOnce({ flags, members }: EnumerationType): boolean {
  return !flags && new Set(members.map(({ value }) => value)).size === members.length;
}

export function memberNames({ members }: EnumerationType): string {
  const names = members.slice(0, NAMED_MEMBERS).map(({ name }) => name);
  return [...names, ...(members.length > names.length ? ['…'] : [])].join(', ');
}

/** The member of a text or number, or null. */
export function toEnumeration(type: EnumerationType, value: Value): string | null {
  return parseEnumeration(type, String(value)) ?? null;
}
