import type { ServiceShape } from '../contract/api-report.ts';
import { breakingMessages, compareServices, UnconfirmedChange } from '../contract/service-changes.ts';
import { shapeService } from './access/shape-service.ts';
import { resourcesOfSources } from './plan/operation-resources.ts';
import type { ServedPlan } from './plan/plan.ts';

/**
 * Throws {@link UnconfirmedChange} where a later state takes something from users that has not been confirmed. Whoever
 * takes a source out of the project file means all that it served.
 */
export function assertConfirmedLosses(
  earlier: ServedPlan,
  later: ServedPlan,
  confirmed: () => ReadonlySet<string>,
): void {
  const changes = compareServices(remainingShape(earlier, later), shapeService(later.model));
  const lost = breakingMessages(changes);
  if (lost.length === 0) return;
  const known = confirmed();
  if (!lost.every((message) => known.has(message))) throw new UnconfirmedChange(changes);
}

/** What clients could rely on, but for what is of sources that the project file no longer has. */
function remainingShape({ model, project }: ServedPlan, later: ServedPlan): ServiceShape {
  const shape = shapeService(model);
  const known = new Set(later.project.sources.map(({ name }) => name));
  const removed = project.sources.map(({ name }) => name).filter((name) => !known.has(name));
  if (removed.length === 0) return shape;
  const meant = resourcesOfSources(model, new Set(removed));
  return { ...shape, resources: shape.resources.filter(({ name }) => !meant.has(name)) };
}
