import type { EnumerationType } from '../../model/edm.ts';

/**
 * A value of an enumeration as the upstream has it. Several flags are a list in the order of the members, a sum, or names
 * that are separated by commas.
 */
export function memberValue(type: EnumerationType | undefined, value: unknown): unknown {
  if (type === undefined || typeof value !== 'string') return value;
  const find = (name: string) => type.members.find((member) => member.name === name.trim());
  if (type.listed === true) {
    const names = value.split(',').map((name) => name.trim());
    if (!names.every(find)) return value;
    const set = type.members.filter(({ name }) => names.includes(name));
    return set.flatMap(({ upstreamValue }) => upstreamValue ?? []);
  }
  const member = find(value);
  if (member !== undefined || !type.flags) return member?.upstreamValue ?? value;
  const flags = value.split(',').map(find);
  const known = flags.filter((flag) => flag !== undefined);
  if (known.length < flags.length) return value;
  const isSum = known.every(({ upstreamValue }) => typeof upstreamValue === 'number');
  return isSum
    ? known.reduce((sum, flag) => sum | Number(flag.upstreamValue), 0)
    : known.map(({ upstreamValue }) => upstreamValue).join(',');
}

/**
 * The upstream's text for OData's text of a primitive value: base64 (RFC 4648, 4) for base64url, and
 * seconds (RFC 3339, 5.6), which OData may leave out.
 */
export function upstreamText(type: string, text: string): string {
  if (type === 'Edm.Binary') return Buffer.from(text, 'base64url').toString('base64');
  if (type === 'Edm.DateTimeOffset') return text.replace(/([Tt]\d\d:\d\d)(?=[Zz+-]|$)/, '$1:00');
  return type === 'Edm.TimeOfDay' ? text.replace(/^\d\d:\d\d$/, '$&:00') : text;
}
