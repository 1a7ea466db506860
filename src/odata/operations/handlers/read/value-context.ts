import type { EntityResource, ValueResource } from '../../../../engine/resource/resource.ts';
import type { ContextFragment } from '../../../payload/negotiation/context-url.ts';
import { canonicalUrl } from '../../shape/entity-shape.ts';

type ValueContext = Extract<ContextFragment, { readonly kind: 'property' | 'value' }>;

/** The context of a property (Part 1, 10.13) or of an operation's result (10.14 to 10.16). */
export function valueContext({ origin, use }: ValueResource, type: string): ValueContext {
  if (origin.kind === 'call') return { kind: 'value', type, collection: use.collection };
  return { kind: 'property', path: [entityPath(origin.entity), ...origin.path].join('/') };
}

/** The canonical URL of the entity, where the URL of the request says enough for it. */
function entityPath(entity: EntityResource): string {
  const { entityType, type, isCast, known, url } = entity;
  const canonical = canonicalUrl(entity);
  if (canonical === undefined || entityType.key.some((name) => known[name] === undefined)) return url;
  return canonical(known) + (isCast ? `/${type.namespace}.${type.name}` : '');
}
