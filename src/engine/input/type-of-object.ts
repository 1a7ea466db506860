import type { Value } from '../../contract/row.ts';
import {
  type ComplexType,
  type EntityType,
  type StructuralProperty,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { InputObject } from './input-value.ts';
import { type Mistakes, pathTo, quote } from './mistakes.ts';

export type InputType = EntityType | ComplexType;

export function qualifiedName({ namespace, name }: InputType): string {
  return `${namespace}.${name}`;
}

/**
 * The type of an object: the one that its control information `type` names (JSON Format, 4.5.3), or that its
 * discriminator stands for, or else the declared one.
 */
export function typeOfObject<Type extends InputType>(
  declared: Type,
  object: InputObject,
  path: string,
  mistakes: Mistakes,
): Type | Type['derived'][number] {
  const [name, reference] = Object.entries(object).find(([member]) => isTypeControl(member)) ?? [];
  if (name === undefined) return typeOfDiscriminator(declared, object) ?? declared;
  const type = typeof reference === 'string' ? typeReferred(declared, reference) : undefined;
  if (type === undefined || type.abstract) {
    const found = typeof reference === 'string' ? quote(reference) : 'no name';
    mistakes.add(pathTo(path, name), `${qualifiedName(declared)} or a type derived from it`, found);
    return declared;
  }
  return type;
}

/** Whether an object says by control information of which type it is. */
export function isTypeNamed(object: InputObject): boolean {
  return Object.keys(object).some(isTypeControl);
}

function isTypeControl(member: string): boolean {
  return member === '@odata.type' || member === '@type';
}

/** `#Ns.Type`, after the URL of the metadata document or not. */
function typeReferred<Type extends InputType>(declared: Type, reference: string) {
  const name = reference.slice(reference.lastIndexOf('#') + 1);
  return withDerivedTypes(declared).find((type) => qualifiedName(type) === name);
}

function typeOfDiscriminator<Type extends InputType>({ derived }: Type, object: InputObject) {
  return derived.find((type): type is Type['derived'][number] => {
    const sign = discriminatorOf(type);
    return (
      sign !== undefined &&
      !type.abstract &&
      Object.hasOwn(object, sign.name) &&
      object[sign.name] === sign.value
    );
  });
}

/** What tells the upstream that an object is of the type: a property of the model, or else of the upstream's. */
export function discriminatorOf({
  discriminator,
  structuralProperties,
}: InputType): { readonly name: string; readonly value: Value } | undefined {
  if (discriminator?.value === undefined) return undefined;
  const { upstreamName, value } = discriminator;
  const property = [...structuralProperties.values()].find(
    (candidate) => candidate.upstreamName === upstreamName,
  );
  if (property === undefined) return { name: upstreamName, value };
  return { name: property.name, value: memberNamed(property, value) };
}

function memberNamed({ type }: StructuralProperty, value: string): string {
  const members = type.kind === 'enumeration' ? type.members : undefined;
  return members?.find(({ upstreamValue }) => String(upstreamValue) === value)?.name ?? value;
}
