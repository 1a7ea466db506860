import type { ModelSummary } from '../../contract/api-report.ts';
import { reportedPlaces, type ServedPlan } from '../plan.ts';
import { summarizeModel } from './model-summary.ts';

/** What is served of one source; undefined where nothing is. */
export function servedApi(plan: ServedPlan, name: string): ServedApi | undefined {
  const source = plan.project.sources.find((each) => each.name === name);
  if (source === undefined) return undefined;
  return { serviceUrl: source.endpoint, model: summarizeModel(plan, name, reportedPlaces(plan, name)) };
}

interface ServedApi {
  readonly serviceUrl: string;
  readonly model: ModelSummary;
}
