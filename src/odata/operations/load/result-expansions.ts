import type { EntityType, Model } from '../../../model/edm.ts';
import type { Expansion } from '../../payload/body/entity-content.ts';
import { entityUrl } from '../../payload/entity-url.ts';
import type { NestedContent, ResultContent } from '../../query/apply/result-content.ts';
import { countName } from '../../query/extension.ts';

/** How the instances are written that stand within the results of `$apply`, without being expanded. */
export function resultExpansions(
  model: Model,
  { nested }: Pick<ResultContent, 'nested'>,
): ReadonlyMap<string, Expansion> {
  return new Map([...nested].map(([name, content]) => [name, expansionOf(model, name, content)]));
}

function expansionOf(model: Model, name: string, content: NestedContent): Expansion {
  const counted = countName(name);
  const { type, collection, shown, computed, transient } = content;
  const entityType: EntityType = 'key' in type ? type : { ...type, key: [] };
  return {
    entityType,
    canonical: transient ? undefined : canonicalOf(model, entityType),
    computed,
    shown,
    exact: false,
    partial: transient,
    collection,
    control: ({ [counted]: count }) => (typeof count === 'number' ? { count } : {}),
    expanded: resultExpansions(model, content),
  };
}

/** Entities of a type that is in one set alone are in that. */
function canonicalOf({ entitySets }: Model, { name }: EntityType): Expansion['canonical'] {
  const [set, other] = [...entitySets.values()].filter(({ entityType }) => entityType.name === name);
  if (set === undefined || other !== undefined) return undefined;
  return entityUrl(set.name, set.entityType);
}
