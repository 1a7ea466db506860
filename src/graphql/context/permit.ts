import type { Permission } from '../../model/permission.ts';
import type { GraphQLContext } from './graphql-context.ts';

/** Whoever may not do something is told so, and not what is wrong with the way that it was to be done. */
export function permit({ service, call }: GraphQLContext, resource: string, permission: Permission): void {
  service.source.permit?.(resource, permission, call);
}
