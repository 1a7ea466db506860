import { LRUCache } from 'lru-cache';
import type { Row } from '../../../contract/row.ts';
import { type JsonObject, type MemberWriter, writeMember } from './member-writer.ts';

/** Sets the members of a row in a copy of their template. */
export type WriteMembers = (target: JsonObject, row: Row) => void;

/**
 * Compiles the setting of members. `complete`: what a row does not have is null; else it is left out, as of a
 * complex value of which a part is shown.
 *
 * What only has to be handed on is set by a function from source text: V8 learns which shapes a function meets,
 * and one for all rows of all types would look every member up by its name, at five times the cost.
 */
export function compileMembers(
  members: readonly MemberWriter[],
  completeness: 'complete' | 'partial',
): WriteMembers {
  const whole = completeness === 'complete';
  const source = members.map((member, index) => statements(member, index, whole)).join('\n');
  const writers = members.map((member): WriteMembers => {
    const { name } = member;
    return (target, row) => writeMember(target, row, member, whole ? (row[name] ?? null) : row[name]);
  });
  return generatorOf(source)(writers);
}

/** Names are in strings of JSON, which are strings of JavaScript: they are never code. */
function statements({ name, write, type, count, isOmitted }: MemberWriter, index: number, whole: boolean) {
  const isHandedOn = [write, count, isOmitted, type?.isSaid].every((each) => each === undefined);
  if (!isHandedOn) return `writers[${index}](target, row);`;
  const value = `value${index}`;
  const member = JSON.stringify(name);
  return `
    const ${value} = row[${member}]${whole ? ' ?? null' : ''};
    target[${member}] = ${value};
    ${type === undefined ? '' : `if ((${value} ?? null) === null) target[${JSON.stringify(type.name)}] = undefined;`}`;
}

type Generator = (writers: readonly WriteMembers[]) => WriteMembers;

const GENERATORS_KEPT = 500;
/** By their source: queries that differ in nothing else share what V8 has learned. */
const GENERATORS = new LRUCache<string, Generator>({ max: GENERATORS_KEPT });

function generatorOf(source: string): Generator {
  const known = GENERATORS.get(source);
  if (known !== undefined) return known;
  const generator = new Function('writers', `return (target, row) => {${source}};`) as Generator;
  GENERATORS.set(source, generator);
  return generator;
}
