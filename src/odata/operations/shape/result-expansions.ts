import { countName } from '../../../engine/query/extension.ts';
import { entityUrl } from '../../../engine/resource/entity-url.ts';
import type { NestedContent, ResultContent } from '../../../engine/results/result-content.ts';
import { asEntityType } from '../../../engine/typing/model-type.ts';
import type { EntitySet, EntityType } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { Expansion } from '../../payload/json/entity-content.ts';
import { placeOfSet } from './updatable-target.ts';

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
  const entityType = asEntityType(type);
  const set = transient ? undefined : onlySetOf(model, entityType);
  return {
    entityType,
    canonical: set && entityUrl(set.name, set.entityType),
    ...(set && placeOfSet(set)),
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
function onlySetOf({ entitySets }: Model, { name }: EntityType): EntitySet | undefined {
  const [set, other] = [...entitySets.values()].filter(({ entityType }) => entityType.name === name);
  return other === undefined ? set : undefined;
}
