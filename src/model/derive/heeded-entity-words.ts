import { text } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { ownSetting } from '../../openapi/schemas/schema.ts';
import type { DescribedEntitySet, DescribedEntityType, DescribedSingleton } from '../description.ts';
import type { EntityPlan, EntityPlans } from './edm-types/entity-plan.ts';
import { heedWords } from './vocabulary/heed-words.ts';

interface Entities {
  readonly entityTypes: readonly DescribedEntityType[];
  readonly entitySets: readonly DescribedEntitySet[];
  readonly singletons: readonly DescribedSingleton[];
}

/** Notes which words of `x-odata` the entity types, sets and singletons of a document say. */
export function heedEntityWords(source: DocumentSource, plans: EntityPlans, entities: Entities): void {
  const types = new Map(entities.entityTypes.map((type) => [type.name, type]));
  const contained = new Set(entities.entityTypes.flatMap(containedTypes));
  for (const plan of plans.values()) {
    const type = types.get(plan.name);
    if (type === undefined) continue;
    heedWords(source, plan.schema, ['alternateKeys', 'etag', 'hasStream', 'stream', 'streams']);
    const sets = entities.entitySets.filter(({ entityType }) => entityType.name === plan.name);
    const singletons = entities.singletons.filter(({ entityType }) => entityType.name === plan.name);
    if (sets.length > 0) heedWords(source, plan.schema, ['changes', 'pageSize']);
    // Where another set has the name, that is told of the one that has none of its own.
    if (sets.length > 0 && isNamed(plan, 'entitySet', entities.entitySets))
      heedWords(source, plan.schema, ['entitySet']);
    if (isNamed(plan, 'singleton', singletons)) heedWords(source, plan.schema, ['singleton']);
    const isResource = sets.length + singletons.length > 0 || contained.has(plan.name);
    if (isResource) heedWords(source, plan.schema, ['grants']);
  }
}

function containedTypes({ navigationProperties }: DescribedEntityType): readonly string[] {
  return [...navigationProperties.values()].flatMap(({ entityType, contained }) =>
    contained === undefined ? [] : [entityType],
  );
}

/** Whether one of the resources has the name that the word says. */
function isNamed(
  { schema }: EntityPlan,
  word: 'entitySet' | 'singleton',
  resources: readonly (DescribedEntitySet | DescribedSingleton)[],
): boolean {
  const said = text(ownSetting(schema, word));
  return said !== undefined && resources.some(({ name }) => name === said);
}
