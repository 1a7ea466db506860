import type { EntitySet } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { pascalCase } from '../../model/names.ts';
import { type DocumentNode, member, members } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import type { Suggestion } from './suggestion.ts';

/** The names and keys of entity sets, on the schemas of their entities. */
export function entitySuggestions({ root }: DocumentSource, model: Model): readonly Suggestion[] {
  const schemas = componentsByType(root);
  const sets = Map.groupBy(model.entitySets.values(), ({ entityType }) => entityType.name);
  return [...sets.values()].flatMap(([set, ...others]) => {
    // A name on the schema would be that of all sets of its entities.
    const schema = set && others.length === 0 ? schemas.get(set.entityType.name) : undefined;
    const words = set && schema && wordsFor(set, schema);
    if (schema === undefined || words === undefined || Object.keys(words).length === 0) return [];
    return [{ pointer: schema.pointer, words, note: '', isDoubtful: false }];
  });
}

function componentsByType(root: DocumentNode): ReadonlyMap<string, DocumentNode> {
  const schemas = members(member(member(root, 'components'), 'schemas'));
  return new Map(schemas.map(([name, schema]) => [pascalCase(name) ?? name, schema]));
}

/** What the schema says already is not said again: an overlay would add to it. */
function wordsFor({ name, entityType }: EntitySet, schema: DocumentNode): Suggestion['words'] {
  const said = member(schema, 'x-odata');
  const key = entityType.key.flatMap((part) => {
    const { upstreamName, within = [], aliasOf } = entityType.structuralProperties.get(part) ?? {};
    if (upstreamName === undefined) return [];
    return aliasOf === undefined ? upstreamName : [...within, upstreamName].join('/');
  });
  return {
    ...(member(said, 'entitySet') === undefined ? { entitySet: name } : {}),
    ...(member(said, 'key') === undefined && key.length > 0 ? { key } : {}),
  };
}
