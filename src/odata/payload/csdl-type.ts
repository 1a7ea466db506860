import type { Model } from '../../model/edm.ts';
import type { TypeName, TypeUse } from '../../model/type-use.ts';
import type { XmlElement } from './csdl-element.ts';

/** The attributes that say of what type a property, a parameter or a result is (CSDL XML 4.01, 7.1 and 7.2). */
export function typeAttributes(model: Model, use: TypeUse): XmlElement['attributes'] {
  const { facets } = use;
  const name = qualifiedTypeName(model, use.type);
  return {
    Type: use.collection ? `Collection(${name})` : name,
    Nullable: use.nullable ? undefined : false,
    MaxLength: facets.maxLength,
    Precision: facets.precision,
    Scale: facets.scale,
  };
}

function qualifiedTypeName(model: Model, { kind, name }: TypeName): string {
  switch (kind) {
    case 'primitive':
      return name;
    case 'enumeration':
      return `${model.enumerationTypes?.get(name)?.namespace}.${name}`;
    case 'complex':
      return `${model.complexTypes?.get(name)?.namespace}.${name}`;
    case 'entity':
      return `${model.entityTypes.get(name)?.namespace}.${name}`;
  }
}
