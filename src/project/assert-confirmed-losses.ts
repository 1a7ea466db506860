import type { ServiceShape } from '../contract/api-report.ts';
import {
  breakingMessages,
  compareServices,
  grantingMessages,
  UnconfirmedChange,
} from '../contract/service-changes.ts';
import { shapeService } from './access/shape-service.ts';
import { resourcesOfSources } from './plan/operation-resources.ts';
import type { ServedPlan } from './plan/plan.ts';

/**
 * Throws {@link UnconfirmedChange} if a new state removes something from users, or if a document from the
 * network grants permissions, without a confirmation. Adding or removing a whole source in the project file
 * needs none.
 */
export function assertConfirmedLosses(
  earlier: ServedPlan,
  later: ServedPlan,
  confirmed: () => ReadonlySet<string>,
  isFromNetwork: (source: string) => boolean,
): void {
  const [before, after] = [shapeWithin(earlier, later), shapeWithin(later, earlier)];
  const changes = compareServices(before, after);
  const foreign = later.project.sources.map(({ name }) => name).filter(isFromNetwork);
  const guarded = resourcesOfSources(later.model, new Set(foreign));
  const within = (shape: ServiceShape): ServiceShape => ({
    types: [],
    resources: shape.resources.filter(({ name }) => guarded.has(name)),
  });
  const toConfirm = [
    ...breakingMessages(changes),
    ...grantingMessages(compareServices(within(before), within(after))),
  ];
  if (toConfirm.length === 0) return;
  const known = confirmed();
  if (!toConfirm.every((message) => known.has(message))) throw new UnconfirmedChange(changes, toConfirm);
}

/** The shape of a service without sources that the other project lacks. */
function shapeWithin({ model, project }: ServedPlan, later: ServedPlan): ServiceShape {
  const shape = shapeService(model);
  const known = new Set(later.project.sources.map(({ name }) => name));
  const removed = project.sources.map(({ name }) => name).filter((name) => !known.has(name));
  if (removed.length === 0) return shape;
  const meant = resourcesOfSources(model, new Set(removed));
  return { ...shape, resources: shape.resources.filter(({ name }) => !meant.has(name)) };
}
