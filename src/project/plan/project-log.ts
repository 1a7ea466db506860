import type { Log } from '../../contract/log.ts';
import type { Finding } from '../../derive/model-from-openapi.ts';
import { shownPlace } from '../../openapi/document/written-place.ts';
import { groupFindings } from './group-findings.ts';
import { compareModels, newFindings } from './model-change.ts';
import { reportedPlaces, type ServedPlan } from './plan.ts';

/** Logs the served resources at the start, and what is left out. */
export function logPlan(plan: ServedPlan, log: Log): void {
  logFindings(plan, findingsOf(plan), log);
  logCredentials(plan, log);
}

/** Logs changes of the served resources and new findings. */
export function logChange(earlier: ServedPlan, later: ServedPlan, log: Log): void {
  logFindings(later, newFindings(findingsOf(earlier), findingsOf(later)), log);
  logCredentials(later, log);
  const change = compareModels(earlier.model, later.model);
  log.info({ ...change, upstreams: upstreamsOf(later) }, 'serving the changed project');
}

/** Logs names and positions of credentials, never credentials. */
function logCredentials({ credentials }: ServedPlan, log: Log): void {
  for (const [source, { credentials: all, asking, unmet }] of credentials) {
    const describe = (isGiven: boolean): readonly string[] =>
      all.filter((each) => each.isGiven === isGiven).map(({ name, asksFor }) => `${name}: ${asksFor}`);
    const fields = { source, given: describe(true), missing: describe(false), operations: asking, unmet };
    if (unmet > 0) log.warn(fields, 'operations ask for a credential that the project does not give');
    else if (asking > 0) log.info(fields, 'the project gives the credentials that operations ask for');
  }
}

export function upstreamsOf({ project }: ServedPlan) {
  return project.sources.map(({ name, endpoint }) => ({ name, endpoint }));
}

function findingsOf({ unserved, report }: ServedPlan): readonly Finding[] {
  return [...unserved, ...report];
}

/** One entry per kind of finding and source. */
function groupsOf(findings: readonly Finding[]): ReturnType<typeof groupFindings<Finding>> {
  return [...Map.groupBy(findings, ({ source }) => source).values()].flatMap(groupFindings);
}

const LEVELS = { error: 'error', warning: 'warn', info: 'info' } as const;

function logFindings(plan: ServedPlan, findings: readonly Finding[], log: Log): void {
  for (const [{ severity, source, pointer, message }, ...others] of groupsOf(findings)) {
    const place = reportedPlaces(plan, source)(pointer);
    const more = others.length === 0 ? {} : { others: others.length };
    log[LEVELS[severity]]({ severity, source, ...shownPlace(place), ...more }, message);
  }
}
