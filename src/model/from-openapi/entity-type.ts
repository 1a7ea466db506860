import type { EntityType, StructuralProperty } from '../edm.ts';
import type { Derivation } from './derivation.ts';
import { text } from './document-node.ts';
import type { KeyPart } from './entity-key.ts';
import { keyword, type Schema } from './schema.ts';
import { type NamedProperty, primitiveUse, readProperty, structuralProperty } from './structural-property.ts';

export function entityType(
  derivation: Derivation,
  schema: Schema,
  name: string,
  properties: readonly NamedProperty[],
  key: readonly KeyPart[],
): EntityType {
  const keys = new Set(key.map(({ property }) => property));
  const structural = properties.flatMap(
    (property) => structuralOf(derivation, property, keys.has(property)) ?? [],
  );
  return {
    namespace: derivation.namespace,
    name: derivation.claimTypeName(name, schema.identity),
    description: text(keyword(schema, 'description')),
    key: key.map(({ property }) => property.name),
    properties: new Map(
      structural
        .flatMap((property) => readProperty(property) ?? [])
        .map((property) => [property.name, property]),
    ),
    structuralProperties: new Map(structural.map((property) => [property.name, property])),
  };
}

function structuralOf(
  derivation: Derivation,
  property: NamedProperty,
  isKey: boolean,
): StructuralProperty | undefined {
  const use = primitiveUse(derivation, property.schema, !property.required);
  if (use === undefined) return undefined;
  return structuralProperty(property, isKey ? { ...use, nullable: false } : use);
}
