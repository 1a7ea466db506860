import { type Constraints, isNamespace, matches } from './abnf-roles.ts';
import type { Json } from './abnf-segments.ts';

const PRIMITIVE_TYPES =
  /^Edm\.(?:Binary|Boolean|Byte|Date|DateTimeOffset|Decimal|Double|Duration|Guid|S?Byte|Int(?:16|32|64)|Single|Stream|String|TimeOfDay|Untyped|(?:Primitive|Complex|Entity)Type|Geo(?:graphy|metry)(?:Collection|(?:Multi)?(?:LineString|Point|Polygon))?)$/;
const TYPES = ['entityTypeName', 'complexTypeName', 'enumerationTypeName', 'typeDefinitionName'];

export function* wrongType(name: string, constraints: Constraints): Generator<string> {
  const local = name.slice(name.lastIndexOf('.') + 1);
  const isKnown = isNamespace(constraints, name) && TYPES.some((rule) => constraints[rule]?.includes(local));
  if (!isKnown && !PRIMITIVE_TYPES.test(name)) yield name;
}

/** The type and the members of an enumeration's value. */
export function* wrongMembers({ type, typeName, text }: Json, constraints: Constraints): Generator<string> {
  if (type !== 'qualified') return;
  const name = String(typeName);
  const local = name.slice(name.lastIndexOf('.') + 1);
  if (!isNamespace(constraints, name) || !matches(constraints, 'enumerationTypeName', local)) yield name;
  const members = String(text).split(',');
  yield* members.filter(
    (each) => !/^[+-]?\d+$/.test(each) && !matches(constraints, 'enumerationMember', each),
  );
}

/** A transformation of the service's own must be one of its functions that give collections. */
export function* wrongFunction(name: string, constraints: Constraints): Generator<string> {
  if (!name.includes('.')) return;
  const local = name.slice(name.lastIndexOf('.') + 1);
  const isKnown = ['entityColFunction', 'complexColFunction'].some((rule) =>
    matches(constraints, rule, local),
  );
  if (!isKnown || !isNamespace(constraints, name)) yield name;
}
