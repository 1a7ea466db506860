import type { DescribedCallable, DescribedEntitySet, DescribedSingleton } from '../../model/description.ts';
import type { Grants } from '../../model/permission.ts';
import type { Report } from '../../openapi/document/finding.ts';
import { type Schema, setting } from '../../openapi/schemas/schema.ts';

function isCalledBySomebody(grants: Grants): boolean {
  return [...grants.values()].some((permissions) => permissions.has('Call'));
}

function isUsedBySomebody(grants: Grants): boolean {
  return [...grants.values()].some((permissions) => permissions.size > 0);
}

export function reportUncalled(report: Report, name: string, grants: Grants, pointer: string): void {
  if (isCalledBySomebody(grants)) return;
  const message = `Nobody may call ${name}: x-odata.grants on the operation says who may`;
  report('info', pointer, message, 'nobody-may-call');
}

type Resource = Pick<DescribedEntitySet | DescribedSingleton, 'name' | 'entityType' | 'grants'>;

/** Reports sets and singletons that no role may use, and bound operations that no role may call. */
export function reportUnused(
  report: Report,
  resource: Resource,
  schema: Schema,
  callables: readonly DescribedCallable[],
): void {
  const { name, entityType, grants } = resource;
  const declared = setting(schema, 'grants');
  if (declared === undefined && !isUsedBySomebody(grants)) {
    const message = `Nobody may use ${name}: x-odata.grants says who may`;
    report('info', schema.identity, message, 'nobody-may-use');
    return;
  }
  const bound = callables.filter(({ binding }) => binding?.entityType === entityType.name);
  if (bound.length === 0 || isCalledBySomebody(grants)) return;
  const names = [...new Set(bound.map((callable) => callable.name))].join(', ');
  const message = `Nobody may call what is bound to ${name}: no role has Call (${names})`;
  report('info', declared?.pointer ?? schema.identity, message, 'nobody-may-call');
}
