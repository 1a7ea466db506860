import { NO_ACCESS } from '../../contract/access-report.ts';
import {
  type DocumentServer,
  EMPTY_MODEL,
  type Examination,
  type ProgressStep,
} from '../../contract/api-report.ts';
import { NO_SHAPE } from '../../contract/service-shape.ts';
import { serverUrl } from '../../openapi/document/server-url.ts';
import type { DescriptionTexts, OpenApiDescription } from '../../openapi/openapi-description.ts';
import { reportDocument } from '../../openapi/report/document-report.ts';
import { describeAccess } from '../access/describe-access.ts';
import { derivePlan, UNCALLED } from '../plan/derive-plan.ts';
import { planSources } from '../plan/plan.ts';
import { apiOperations } from './api-operations.ts';
import { summarizeModel } from './model-summary.ts';
import { shapeService } from './shape-service.ts';

/** Finds out what texts describe, and what would be served of it under that name by itself. */
export async function examineDocument(
  texts: DescriptionTexts,
  name: string,
  onStep: (step: ProgressStep) => void = () => undefined,
): Promise<Examination> {
  const { description, report } = await reportDocument(texts, onStep);
  if (description === undefined) {
    return {
      report,
      document: undefined,
      servers: [],
      operations: [],
      model: EMPTY_MODEL,
      access: NO_ACCESS,
      shape: NO_SHAPE,
    };
  }
  onStep('deriving');
  const { document, placeOf } = description;
  const source = { name, document: name, endpoint: UNCALLED, operationHeaders: {} };
  const plan = await derivePlan(planSources({ directory: '.', sources: [source] }, () => description));
  const access = describeAccess(description, plan.model);
  return {
    report,
    document,
    servers: await placedServers(texts, description),
    operations: apiOperations(name, document, plan.model),
    model: summarizeModel(plan, name, placeOf),
    access,
    shape: shapeService(plan.model, access),
  };
}

/** A document may have any number of them. */
const MOST_SERVERS = 10;

async function placedServers(
  texts: DescriptionTexts,
  description: OpenApiDescription,
): Promise<readonly DocumentServer[]> {
  const { servers } = description.document;
  const urls = (Array.isArray(servers) ? servers.slice(0, MOST_SERVERS) : []).map(serverUrl);
  if (urls.every((url) => url === undefined)) return [];
  const { placeFinder } = await import('../../openapi/report/lint-openapi.ts');
  const find = placeFinder(texts, description);
  return urls.flatMap((url, index) => {
    if (url === undefined) return [];
    const { line, column } = find(`/servers/${index}/url`);
    return [{ url, line, column }];
  });
}
