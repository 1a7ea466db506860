import type { ModelSummary } from '../../contract/api-report.ts';
import { asWritten } from '../../document/written-place.ts';
import type { ServedPlan } from '../plan.ts';
import { summarizeModel } from './model-summary.ts';

/** What is served of one source; undefined where nothing is. */
export function servedApi(
  { project, model, report, descriptions }: ServedPlan,
  name: string,
): ServedApi | undefined {
  const source = project.sources.find((each) => each.name === name);
  return (
    source && {
      serviceUrl: source.endpoint,
      model: summarizeModel(model, report, name, descriptions.get(name)?.placeOf ?? asWritten),
    }
  );
}

interface ServedApi {
  readonly serviceUrl: string;
  readonly model: ModelSummary;
}
