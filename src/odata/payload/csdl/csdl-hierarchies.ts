import type { EntityType } from '../../../model/edm.ts';
import { recursiveHierarchies } from '../../../model/recursive-hierarchy.ts';
import {
  type Annotation,
  annotation,
  navigationPath,
  propertyPath,
  qualified,
  record,
} from './csdl-annotation.ts';

/** Aggregation.RecursiveHierarchy (Data Aggregation 4.0, 5.5.1), once for each tree that entities of the type make. */
export function hierarchyAnnotations(type: EntityType): readonly Annotation[] {
  return recursiveHierarchies(type).map(({ qualifier, node }) => {
    const properties = {
      NodeProperty: propertyPath(node),
      ParentNavigationProperty: navigationPath(qualifier),
    };
    return qualified(qualifier, annotation('Aggregation', 'RecursiveHierarchy', record(properties)));
  });
}
