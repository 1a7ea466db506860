import type { Model } from '../../model/edm.ts';
import type { TypeName, TypeUse } from '../../model/type-use.ts';
import type { XmlElement } from './csdl-element.ts';

/** The attributes that say of what type a property, a parameter or a result is (CSDL XML 4.01, 7.1 and 7.2). */
export function typeAttributes(model: Model, use: TypeUse): XmlElement['attributes'] {
  const { facets } = use;
  const name = qualifiedTypeName(model, use.type);
  return {
    Type: use.collection ? `Collection(${name})` : name,
    // Of the items of a collection nothing goes without saying (CSDL XML 4.01, 7.2.1).
    Nullable: use.nullable ? use.collection || undefined : false,
    MaxLength: facets.maxLength,
    Precision: facets.precision,
    Scale: facets.scale,
  };
}

/** The name of a type with its namespace. */
export function qualifiedTypeName(model: Model, { kind, name }: TypeName): string {
  switch (kind) {
    case 'primitive':
      return name;
    case 'enumeration':
      return `${model.enumerationTypes.get(name)?.namespace}.${name}`;
    case 'complex':
      return `${model.complexTypes.get(name)?.namespace}.${name}`;
    case 'entity':
      return `${model.entityTypes.get(name)?.namespace}.${name}`;
  }
}
