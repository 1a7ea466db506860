import type { ServiceShape } from '../contract/api-report.ts';
import type { GatewayRequest } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type {
  Improvement,
  LearnableRead,
  LearnResult,
  OverlayAction,
  Suggestion,
  SuppliedNames,
  TableChange,
  TableShape,
} from '../contract/improvements.ts';
import { compareServices } from '../contract/service-changes.ts';
import { overlayFile } from '../openapi/overlay/overlay-document.ts';
import { assertConfirmed } from './apis/assert-confirmed.ts';
import { assertWritable, type FoundApi, findApi } from './apis/registry.ts';
import { assertOwnFile, type ChangeDependencies, storeChanges } from './apis/store-changes.ts';
import { assertDocument } from './assert-document.ts';
import { type ApiEntry, isGrantable, isOwnFile } from './folder/api-folder.ts';
import { textsOf } from './grant-api.ts';
import { recordChange } from './history/api-history.ts';
import type { Registry } from './registry-request.ts';
import { assertSameServer } from './replace-api.ts';
import { calledApi } from './try-api.ts';

type Reading = Omit<Registry, 'inTurn' | 'seen'>;

/** The reads of an API whose answers can be learnt. */
export async function listLearnable(dependencies: Reading, name: string): Promise<readonly LearnableRead[]> {
  const found = await findReadable(dependencies, name);
  const order = { kind: 'reads', supplied: suppliedTo(found.entry) } as const;
  return (await dependencies.improve(textsOf(dependencies.folder, found.entry.file), order)).reads ?? [];
}

/** The most reads of one request. */
const MOST_READS = 50;

/** Calls reads of an API by GET requests and proposes the schemas of their answers. Nothing is stored. */
export async function learnFromAnswers(
  dependencies: Reading,
  name: string,
  targets: readonly string[],
  request: GatewayRequest,
): Promise<LearnResult> {
  const found = await findReadable(dependencies, name);
  assertOverlayWritable(dependencies, found.entry);
  const known = await listLearnable(dependencies, name);
  const wanted = new Set(targets);
  const reads = known.filter(({ target }) => wanted.has(target)).slice(0, MOST_READS);
  const api = await calledApi(dependencies, found);
  const { samples, outcomes } = await dependencies.sample(reads, (sent) =>
    dependencies.send(api, sent, request),
  );
  const supplied = suppliedTo(found.entry);
  const texts = textsOf(dependencies.folder, found.entry.file);
  const { actions = [] } = await dependencies.improve(texts, { kind: 'learn', supplied, samples });
  return { reads: outcomes, ...(await previewActions(dependencies, name, actions)) };
}

/** Proposes actions for an API's overlay. */
export async function suggestFor(dependencies: Reading, name: string): Promise<readonly Suggestion[]> {
  const { entry } = await findReadable(dependencies, name);
  return (
    (await dependencies.improve(textsOf(dependencies.folder, entry.file), { kind: 'suggest' })).suggestions ??
    []
  );
}

/** The effect of actions on the overlay and the tables. Nothing is stored. */
export async function previewActions(
  dependencies: Reading,
  name: string,
  actions: readonly OverlayAction[],
): Promise<Improvement> {
  const found = await findReadable(dependencies, name);
  if (actions.length === 0) return { actions, difference: [], tables: [], changes: [] };
  const { later, difference } = await withOverlay(dependencies, found, actions);
  const { shape } = found.examination;
  return {
    actions,
    difference,
    tables: compareTables(shape, later.shape),
    changes: compareServices(shape, later.shape),
  };
}

interface Acceptance {
  /** The name of the user in the history. */
  readonly by: string | null;
  readonly confirmed: readonly string[];
}

/** Writes actions to an API's overlay; they are served when the promise resolves. */
export async function acceptActions(
  dependencies: ChangeDependencies,
  name: string,
  actions: readonly OverlayAction[],
  { by, confirmed }: Acceptance,
): Promise<void> {
  assertWritable(dependencies);
  const found = await findReadable(dependencies, name);
  const { entry, examination } = found;
  const { folder } = dependencies;
  assertOverlayWritable(dependencies, entry);
  const { overlay, later } = await withOverlay(dependencies, found, actions);
  assertSameServer(entry, examination, later);
  const changes = compareServices(examination.shape, later.shape);
  if (entry.source !== undefined) assertConfirmed(changes, confirmed, dependencies.needsGrants);
  const recorded = isOwnFile(folder, entry.file)
    ? recordChange(folder, entry, { overlay }, { by, changes })
    : [];
  await storeChanges(dependencies, entry, [...recorded, [overlayFile(entry.file), overlay]], confirmed);
}

function assertOverlayWritable(dependencies: Pick<ChangeDependencies, 'folder'>, entry: ApiEntry): void {
  if (!isGrantable(dependencies.folder, entry)) assertOwnFile(dependencies, entry);
}

/** Throws Conflict for an API whose document cannot be read. */
async function findReadable(
  dependencies: Pick<ChangeDependencies, 'folder' | 'examinations'> & Parameters<typeof findApi>[0],
  name: string,
): Promise<FoundApi> {
  const found = await findApi(dependencies, name);
  const { document, report } = found.examination;
  if (document === undefined) throw new GatewayError('Conflict', report.summary);
  return found;
}

async function withOverlay(
  { improve, examinations, folder }: Pick<ChangeDependencies, 'improve' | 'examinations' | 'folder'>,
  { entry }: FoundApi,
  actions: readonly OverlayAction[],
) {
  const texts = textsOf(folder, entry.file);
  const { overlay } = await improve(texts, { kind: 'write', actions });
  const { text = '', difference = [] } = overlay ?? {};
  const { document } = texts;
  const { examination } = await examinations.ofTexts({ document, overlay: text }, entry.name, entry.file);
  assertDocument(examination, 'actions');
  return { overlay: text, difference, later: examination };
}

/** The parameters that the project file sets for each call. */
function suppliedTo({ source }: ApiEntry): SuppliedNames {
  const { operationHeaders = {}, queryParams = {} } = source ?? {};
  const headers = Object.keys(operationHeaders).map((header) => header.toLowerCase());
  return { headers: new Set(headers), query: new Set(Object.keys(queryParams)) };
}

/** The tables that differ. */
function compareTables(earlier: ServiceShape, later: ServiceShape): readonly TableChange[] {
  const [before, after] = [tablesOf(earlier), tablesOf(later)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly TableChange[] => {
    const change = { name, before: before.get(name) ?? null, after: after.get(name) ?? null };
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change];
  });
}

function tablesOf({ resources, types }: ServiceShape): ReadonlyMap<string, TableShape> {
  const known = new Map(types.map((type) => [type.name, type]));
  return new Map(
    resources.flatMap(({ name, type = '' }): readonly (readonly [string, TableShape])[] => {
      const { key, properties } = known.get(type) ?? {};
      return key === undefined || properties === undefined ? [] : [[name, { key, columns: properties }]];
    }),
  );
}
