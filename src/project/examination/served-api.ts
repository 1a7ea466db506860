import type { ModelSummary } from '../../contract/api-report.ts';
import { asWritten } from '../../document/written-place.ts';
import type { ServedPlan } from '../plan.ts';
import { summarizeModel } from './model-summary.ts';

/** What is served of one source; undefined where nothing is. */
export function servedApi(plan: ServedPlan, name: string): ServedApi | undefined {
  const source = plan.project.sources.find((each) => each.name === name);
  if (source === undefined) return undefined;
  const placeOf = plan.descriptions.get(name)?.placeOf ?? asWritten;
  return { serviceUrl: source.endpoint, model: summarizeModel(plan, name, placeOf) };
}

interface ServedApi {
  readonly serviceUrl: string;
  readonly model: ModelSummary;
}
