import type { EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import type { Projection } from '../pipeline/compile-query.ts';
import type { Loading } from '../resource/loading.ts';
import { isRootCall, type RelatedReads } from '../scope/bound-tree.ts';

/** Whether whoever asks may view the entities of the resource. */
export function mayView(source: EntitySource, resource: string, context: CallContext): boolean {
  try {
    source.permit?.(resource, 'View', context);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/** The resources of the entities that options read beside those that they are about. */
export function relatedResources({
  related,
  roots = [],
}: Pick<Projection, 'related'> & Partial<Pick<Projection, 'roots'>>): readonly string[] {
  return [
    ...[...related.values()].flatMap(resourcesOf),
    // Functions ask for a permission of their own when they are called.
    ...roots.flatMap((root) => (isRootCall(root) ? [] : [root.segment.name, ...relatedResources(root)])),
  ];
}

function resourcesOf({ navigation, related }: RelatedReads): readonly string[] {
  return [relatedResourceName(navigation) ?? [], ...relatedResources({ related })].flat();
}

/** Whoever may not see all that an answer takes is told so before any of it is read. */
export function assertViews(
  { service: { source }, context }: Loading,
  { related = [] }: { readonly related?: readonly string[] | undefined },
): void {
  for (const resource of related) source.permit?.(resource, 'View', context);
}
