import type { EntityType } from './edm.ts';

/** A tree of entities of one type, in which each says by a foreign key which one it is below (Data Aggregation 4.0, 5.5.1). */
export interface RecursiveHierarchy {
  /** The name of the hierarchy: that of the navigation property that leads to the parent. */
  readonly qualifier: string;
  /** The property that tells the nodes apart: the key. */
  readonly node: string;
  /** The property that holds the parent's key. */
  readonly parent: string;
}

/** The hierarchies of a type: one for each navigation property to one entity of the same type by its whole key. */
export function recursiveHierarchies(type: EntityType): readonly RecursiveHierarchy[] {
  const [node, ...others] = type.key;
  if (node === undefined || others.length > 0) return [];
  return [...type.navigationProperties.values()].flatMap((property) => {
    const [constraint, ...more] = property.constraints;
    if (property.collection || property.entityType.name !== type.name || more.length > 0) return [];
    if (constraint?.referencedProperty !== node || constraint.property === node) return [];
    return [{ qualifier: property.name, node, parent: constraint.property }];
  });
}
