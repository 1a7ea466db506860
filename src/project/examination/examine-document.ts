import { type DocumentServer, EMPTY_MODEL, type Examination } from '../../contract/api-report.ts';
import { reportDocument } from '../../document/document-report.ts';
import type { OpenApiDocument } from '../../document/openapi-version.ts';
import { serverUrl } from '../../document/server-url.ts';
import { derivePlan, UNCALLED } from '../derive-plan.ts';
import { planSources } from '../plan.ts';
import { apiOperations } from './api-operations.ts';
import { summarizeModel } from './model-summary.ts';

/** Finds out what a text is, and what would be served of it under that name by itself. */
export async function examineDocument(text: string, name: string): Promise<Examination> {
  const { document, report } = await reportDocument(text);
  if (document === undefined) {
    return { report, document, servers: [], operations: [], model: EMPTY_MODEL };
  }
  const source = { name, document: name, endpoint: UNCALLED, operationHeaders: {} };
  const { model, report: findings } = await derivePlan(
    planSources({ directory: '.', sources: [source] }, () => document),
  );
  return {
    report,
    document,
    servers: await placedServers(text, document),
    operations: apiOperations(name, document, model),
    model: summarizeModel(model, findings, name),
  };
}

/** A document may have any number of them. */
const MOST_SERVERS = 10;

async function placedServers(text: string, { servers }: OpenApiDocument): Promise<readonly DocumentServer[]> {
  const urls = (Array.isArray(servers) ? servers.slice(0, MOST_SERVERS) : []).map(serverUrl);
  if (urls.every((url) => url === undefined)) return [];
  const { placeFinder } = await import('../../document/lint-openapi.ts');
  const find = placeFinder(text);
  return urls.flatMap((url, index) => (url === undefined ? [] : [{ url, ...find(`/servers/${index}/url`) }]));
}
