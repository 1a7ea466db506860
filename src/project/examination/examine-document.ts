import {
  type ApiOperation,
  type CredentialsSummary,
  type DocumentServer,
  type Examination,
  type ListsSummary,
  type ModelSummary,
  type ProgressStep,
  unservable,
} from '../../contract/api-report.ts';
import { relationOutcome } from '../../contract/relation-outcome.ts';
import type { Finding, ListReport } from '../../derive/model-from-openapi.ts';
import { SILENT_LIST, SILENT_READ } from '../../derive/samples/inferred-answers.ts';
import { namedOperations } from '../../derive/samples/operation-names.ts';
import type { Callable, EntitySet } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import {
  type DocumentNode,
  isObjectNode,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';
import {
  type DocumentSource,
  documentSource,
  resolve,
  serverUrl,
} from '../../openapi/document/document-source.ts';
import { REQUEST_METHODS } from '../../openapi/document/path-item.ts';
import { type PlaceFinder, shownPlace } from '../../openapi/document/written-place.ts';
import type { DescriptionTexts, OpenApiDescription } from '../../openapi/openapi-description.ts';
import { reportDocument } from '../../openapi/report/document-report.ts';
import { UNCALLED } from '../../sources/project-source.ts';
import { describeAccess } from '../access/describe-access.ts';
import { shapeService } from '../access/shape-service.ts';
import type { CredentialsReport } from '../plan/credentials.ts';
import { derivePlan } from '../plan/derive-plan.ts';
import { groupFindings } from '../plan/group-findings.ts';
import { operationResources, operationsOf } from '../plan/operation-resources.ts';
import { planSources, reportedPlaces, type ServedPlan } from '../plan/plan.ts';

/**
 * Determines the kind of the texts, and the service that the document would result in under the given name.
 */
export async function examineDocument(
  texts: DescriptionTexts,
  name: string,
  onStep: (step: ProgressStep) => void = () => undefined,
): Promise<Examination> {
  const { description, report } = await reportDocument(texts, onStep);
  if (description === undefined) return unservable(report);
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
    shape: shapeService(plan.model),
    relations: plan.relations.map((relation) => relationOutcome(relation)),
  };
}

/** Maximum number of servers in a report. */
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

/** The operations of a source's document in order, with the resources that they serve. */
function apiOperations(name: string, document: unknown, model: Model): readonly ApiOperation[] {
  const source = documentSource(name, document);
  const resources = operationResources(model);
  const served = new Map(
    (namedOperations([source]).get(source) ?? []).map(({ node, id }) => [node.pointer, id]),
  );
  return documentedOperations(source).map(({ method, path, node }) => {
    const id = served.get(node.pointer);
    return {
      id: text(member(node, 'operationId')) ?? id ?? `${method} ${path}`,
      method,
      path,
      summary: text(member(node, 'summary')) ?? '',
      resource: (id && resources.get(id)) ?? null,
    };
  });
}

interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly node: DocumentNode;
}

/** All operations of a document, including those that are not served. */
function documentedOperations(source: DocumentSource): readonly DocumentedOperation[] {
  return members(member(source.root, 'paths'))
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) =>
      members(resolve(source, item))
        .filter(([method, node]) => REQUEST_METHODS.has(method) && isObjectNode(node))
        .map(([method, node]) => ({ method: method.toUpperCase(), path, node })),
    );
}

/** The part of a model from one source, and what is missing in it. */
function summarizeModel(
  { model, report, lists }: Pick<ServedPlan, 'model' | 'report' | 'lists'>,
  source: string,
  placeOf: PlaceFinder,
): ModelSummary {
  const callables = (kind: Callable['kind']): readonly string[] => [
    ...new Set(
      model.callables
        .filter((each) => each.kind === kind && each.calls.some(({ operation }) => isOf(operation, source)))
        .map(({ name }) => name),
    ),
  ];
  return {
    entitySets: [...model.entitySets.values()]
      .filter((set) => Object.values(operationsOf(set)).some((operation) => isOf(operation, source)))
      .map(summarizeSet),
    singletons: [...model.singletons.values()]
      .filter(({ read }) => isOf(read, source))
      .map(({ name }) => name),
    functions: callables('function'),
    actions: callables('action'),
    leftOut: groupFindings(report.filter((finding) => finding.source === source)).map((group) =>
      summarizeFindings(group, placeOf),
    ),
    lists: {
      ...summarizeLists(
        lists.filter((list) => list.source === source),
        placeOf,
      ),
      ...silentReads(report.filter((finding) => finding.source === source)),
    },
  };
}

function silentReads(report: readonly Finding[]): Pick<ListsSummary, 'silent'> {
  const lists = report.filter(({ rule }) => rule === SILENT_LIST).length;
  const reads = lists + report.filter(({ rule }) => rule === SILENT_READ).length;
  return reads === 0 ? {} : { silent: { reads, lists } };
}

function summarizeFindings(
  [{ severity, pointer, message }, ...others]: readonly [Finding, ...Finding[]],
  placeOf: PlaceFinder,
): ModelSummary['leftOut'][number] {
  const more = others.length === 0 ? {} : { others: others.length };
  return { severity, ...shownPlace(placeOf(pointer)), message, ...more };
}

function isOf(operation: { readonly source?: string } | undefined, source: string): boolean {
  return operation?.source === source;
}

function summarizeSet(set: EntitySet): ModelSummary['entitySets'][number] {
  const operations = Object.entries(operationsOf(set)).flatMap(([name, operation]) =>
    operation === undefined ? [] : [name],
  );
  return { name: set.name, type: set.entityType.name, key: set.entityType.key, operations };
}

/** Whether the list's rows are in an entity set, or below another entity. */
function isTable({ became }: ListReport): boolean {
  return became !== 'function' && became !== 'nothing';
}

/** The number of lists that are tables, and the reasons of the others with an example each. */
function summarizeLists(lists: readonly ListReport[], placeOf: PlaceFinder): ListsSummary {
  const others = lists.filter((list) => !isTable(list));
  const groups = [...Map.groupBy(others, ({ rule = '' }) => rule)];
  const reasons = groups.flatMap(([rule, [first, ...more]]) => {
    if (first === undefined) return [];
    const { message = '', hint = '', path, pointer } = first;
    return [{ rule, message, hint, lists: 1 + more.length, path, ...shownPlace(placeOf(pointer)) }];
  });
  return {
    lists: lists.length,
    tables: lists.length - others.length,
    reasons: reasons.toSorted((a, b) => b.lists - a.lists),
  };
}

/** The served part of a source, if any. */
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
