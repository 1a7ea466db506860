import { type TypeUse, withDerivedTypes } from '../../model/edm.ts';
import { type ExpressionType, isNumeric, widerType } from './expression-type.ts';

/** What is declared of the value that control information annotates. */
export type DeclaredType = Pick<TypeUse, 'type' | 'collection'> & Pick<Partial<TypeUse>, 'definition'>;

/** Whether a member of an object is the control information of its type, in 4.0 or in 4.01 (JSON Format, 4.6.3). */
export function isTypeControl(member: string): boolean {
  return member === '@odata.type' || member === '@type';
}

/** The name of the member whose type a member tells: `Age` of `Age@odata.type`. Undefined for all other members. */
export function memberOfTypeControl(member: string): string | undefined {
  const at = member.indexOf('@');
  return at > 0 && isTypeControl(member.slice(at)) ? member.slice(0, at) : undefined;
}

/**
 * Whether a value of the declared type may have the type that control information names: `#Int32`,
 * `#Collection(String)`, `#Ns.Type`, after the URL of the metadata document or not, with `Edm.` or not. What has no
 * type of its own may have any.
 */
export function mayBeNamed(declared: DeclaredType, reference: unknown): boolean {
  if (declared.type.name === 'Edm.Untyped') return true;
  if (typeof reference !== 'string') return false;
  const fragment = reference.slice(reference.lastIndexOf('#') + 1);
  const item = /^Collection\((.*)\)$/s.exec(fragment)?.[1];
  if ((item !== undefined) !== declared.collection) return false;
  const name = item ?? fragment;
  const qualified = name.includes('.') ? name : `Edm.${name}`;
  return namesOf(declared).includes(qualified) || isNarrower(qualified, declared.type.name);
}

/** The types that a value may have, for a message. */
export function describeDeclared(declared: DeclaredType): string {
  const [name = ''] = namesOf(declared);
  const { kind } = declared.type;
  const expected = declared.collection ? `Collection(${name})` : name;
  return kind === 'complex' || kind === 'entity' ? `${expected} or a type derived from it` : expected;
}

/** The qualified names of the types that a value may have, the declared one first. */
function namesOf({ type, definition }: DeclaredType): readonly string[] {
  const defined = definition === undefined ? [] : [`${definition.namespace}.${definition.name}`];
  switch (type.kind) {
    case 'primitive':
      return [...defined, type.name];
    case 'enumeration':
      return [`${type.namespace}.${type.name}`];
    case 'complex':
    case 'entity':
      return withDerivedTypes(type).map(({ namespace, name }) => `${namespace}.${name}`);
  }
}

/** Numbers of a narrower type are values of the wider one (URL Conventions, 5.1.1.2). */
function isNarrower(name: string, declared: string): boolean {
  const [narrow, wide] = [name as ExpressionType, declared as ExpressionType];
  return isNumeric(narrow) && isNumeric(wide) && widerType(narrow, wide) === wide;
}
