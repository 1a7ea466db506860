import type { CredentialsSummary, ModelSummary } from '../../contract/api-report.ts';
import type { CredentialsReport } from '../plan/credentials.ts';
import { reportedPlaces, type ServedPlan } from '../plan/plan.ts';
import { summarizeModel } from './model-summary.ts';

/** What is served of one source; undefined where nothing is. */
export function servedApi(plan: ServedPlan, name: string): ServedApi | undefined {
  const source = plan.project.sources.find((each) => each.name === name);
  if (source === undefined) return undefined;
  return {
    serviceUrl: source.endpoint,
    model: summarizeModel(plan, name, reportedPlaces(plan, name)),
    credentials: summarizeCredentials(plan.credentials.get(name)),
  };
}

const NO_CREDENTIALS: CredentialsReport = { credentials: [], asking: 0, unmet: 0 };

function summarizeCredentials({ credentials, asking, unmet } = NO_CREDENTIALS): CredentialsSummary {
  const schemes = credentials.map(({ name, asksFor, operations, isGiven, setting }) => ({
    name,
    asksFor,
    operations,
    isGiven,
    setting:
      setting === undefined ? null : { section: setting.section, name: setting.name, value: setting.value },
  }));
  return { asking, unmet, schemes };
}

interface ServedApi {
  readonly serviceUrl: string;
  readonly model: ModelSummary;
  readonly credentials: CredentialsSummary;
}
