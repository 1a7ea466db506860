import { GraphQLList, GraphQLNonNull, type GraphQLResolveInfo } from 'graphql';
import type { Row } from '../../contract/row.ts';
import { mayView } from '../../engine/load/load.ts';
import type { EntitySet } from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import { assertFew, type GraphQLContext } from '../context/graphql-context.ts';
import { nodeSets } from '../context/schema-names.ts';
import { type NamedNode, readNodeId, typedNode, writeNodeId } from '../query/node-id.ts';
import { readByKeys, selectionOn } from '../query/read.ts';
import { listOf } from './field-parts.ts';
import type { NamedField, RootField, SchemaParts } from './query-fields.ts';
import { ID } from './scalars.ts';

/** The fields that read entities by their global identifiers; none if no entity has one. */
export function nodeFields(parts: SchemaParts): readonly NamedField[] {
  const { node } = parts.objects;
  if (nodeSets(parts.shown.model).size === 0) return [];
  const one: RootField = {
    type: node,
    description: 'The entity with the identifier; null if there is none, or none that you may see.',
    args: { id: { type: new GraphQLNonNull(ID), description: 'A global identifier.' } },
    async resolve(_, { id }, context, info) {
      const [found] = await readNodes(parts, context, info, [String(id)]);
      if (found instanceof Error) throw found;
      return found;
    },
  };
  const several: RootField = {
    type: new GraphQLNonNull(new GraphQLList(node)),
    description:
      'The entities with the identifiers, in that order; null for each one that `node` has none for.',
    args: { ids: { type: listOf(ID), description: 'Global identifiers.' } },
    resolve: (_, { ids }, context, info) =>
      readNodes(parts, context, info, (ids as readonly unknown[]).map(String)),
  };
  return [
    ['node', one],
    ['nodes', several],
  ];
}

/** Reads the entities by one query for each set. An error replaces all entities of the set that it concerns. */
async function readNodes(
  parts: SchemaParts,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  ids: readonly string[],
): Promise<readonly Found[]> {
  assertFew(context, 'ids', ids.length);
  return readNamed(
    parts,
    context,
    info,
    ids.map((id) => readNodeId(parts.shown.model, id)),
  );
}

type Found = Row | Error | null;

/** The entities in the order of their names; null for one that does not exist, or that the caller may not view. */
export async function readNamed(
  { objects }: SchemaParts,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  names: readonly (NamedNode | undefined)[],
): Promise<readonly Found[]> {
  const { source } = context.service;
  const ids = names.map((named) => (named === undefined ? '' : (writeNodeId(named.set, named.key) ?? '')));
  const keys = new Map<EntitySet, Map<string, Row>>();
  for (const [index, named] of names.entries()) {
    if (named === undefined || !mayView(source, named.set.name, context.call)) continue;
    madeOnce(keys, named.set, () => new Map<string, Row>()).set(ids[index] ?? '', named.key);
  }
  const found = new Map<string, Row | Error>();
  await Promise.all(
    [...keys].map(async ([set, wanted]) => {
      try {
        const selection = selectionOn(context, info, objects.of(set.entityType));
        for (const row of await readByKeys(context, set, [...wanted.values()], selection)) {
          found.set(writeNodeId(set, row) ?? '', typedNode(set, row));
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        for (const id of wanted.keys()) found.set(id, error);
      }
    }),
  );
  return ids.map((id) => found.get(id) ?? null);
}
