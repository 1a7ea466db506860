import type { TypeUse, ValueType } from '../../../model/edm.ts';
import type { Facets } from '../../../model/type-use.ts';
import type { XmlElement } from './csdl-element.ts';

/** The attributes that say of what type a property, a parameter or a result is (CSDL XML 4.01, 7.1 and 7.2). */
export function typeAttributes(use: TypeUse): XmlElement['attributes'] {
  const name = typeOfUse(use);
  return {
    Type: use.collection ? `Collection(${name})` : name,
    // Of the items of a collection nothing goes without saying (CSDL XML 4.01, 7.2.1).
    Nullable: use.nullable ? use.collection || undefined : false,
    ...facetAttributes(facetsOfUse(use)),
  };
}

export function facetAttributes({ maxLength, precision, scale }: Facets): XmlElement['attributes'] {
  return { MaxLength: maxLength, Precision: precision, Scale: scale };
}

/** The name of the type, or of the type definition that stands for it. */
export function typeOfUse({ type, definition }: TypeUse): string {
  return definition === undefined ? qualifiedTypeName(type) : `${definition.namespace}.${definition.name}`;
}

/** A type definition's facets are not repeated where it is used (CSDL 4.01, 11.1). */
export function facetsOfUse({ definition, facets }: TypeUse): Facets {
  return definition === undefined ? facets : {};
}

/** The name of a type with its namespace. */
export function qualifiedTypeName(type: ValueType): string {
  return type.kind === 'primitive' ? type.name : `${type.namespace}.${type.name}`;
}
