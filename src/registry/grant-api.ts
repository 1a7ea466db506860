import type { RelationDecision, WrittenGrants, WrittenMaxAge } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { compareServices } from '../contract/service-changes.ts';
import type { DescriptionTexts } from '../openapi/openapi-description.ts';
import { overlayFile } from '../openapi/overlay/overlay-document.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import { readText } from '../openapi/parse/file-text.ts';
import { textsIn } from './apis/examinations.ts';
import { assertWritable, findApi } from './apis/registry.ts';
import { assertOwnFile, type ChangeDependencies, storeChanges } from './apis/store-changes.ts';
import { type ApiFolder, isGrantable, isOwnFile } from './folder/api-folder.ts';
import { recordChange } from './history/api-history.ts';

/**
 * Writes grants to an API's overlay; they are effective when the promise resolves. The document is not
 * changed.
 */
export function grantApi(
  dependencies: ChangeDependencies,
  name: string,
  rows: readonly WrittenGrants[],
  by: string | null,
): Promise<void> {
  return changeOverlay(dependencies, name, by, (texts) => dependencies.grant(texts, rows));
}

/** Writes decisions about relations to an API's overlay, as {@link grantApi} does grants. */
export function relateApi(
  dependencies: ChangeDependencies,
  name: string,
  decisions: readonly RelationDecision[],
  by: string | null,
): Promise<void> {
  return changeOverlay(dependencies, name, by, (texts) => dependencies.relate(texts, name, decisions));
}

/** Writes the ages of answers that may be used again to an API's overlay, like {@link grantApi}. */
export function allowAges(
  dependencies: ChangeDependencies,
  name: string,
  ages: readonly WrittenMaxAge[],
  by: string | null,
): Promise<void> {
  return changeOverlay(dependencies, name, by, (texts) => dependencies.allowAges(texts, ages));
}

async function changeOverlay(
  dependencies: ChangeDependencies,
  name: string,
  by: string | null,
  overlayOf: (texts: DescriptionTexts) => Promise<string>,
): Promise<void> {
  assertWritable(dependencies);
  const { entry, examination } = await findApi(dependencies, name);
  if (!isGrantable(dependencies.folder, entry)) assertOwnFile(dependencies, entry);
  const { file } = entry;
  const texts = textsOf(dependencies.folder, file);
  const overlay = await overlayOf(texts);
  const { document } = texts;
  const changed = await dependencies.examinations.ofTexts({ document, overlay }, name, file);
  const changes = compareServices(examination.shape, changed.examination.shape);
  // APIs outside of the registry's folder have no history.
  const recorded = isOwnFile(dependencies.folder, file)
    ? recordChange(dependencies.folder, entry, { overlay }, { by, changes })
    : [];
  // An administrator who decides has seen the earlier state.
  const meant = changes.map(({ message }) => message);
  await storeChanges(dependencies, entry, [...recorded, [overlayFile(file), overlay]], meant);
}

/** A document with its overlay. Throws BadRequest if one of them cannot be read. */
export function textsOf({ root }: Pick<ApiFolder, 'root'>, file: string): DescriptionTexts {
  const document = readText(file, 'files');
  const texts = typeof document === 'string' ? textsIn(document, file, root) : document;
  if (texts instanceof DocumentMistake)
    throw new GatewayError('BadRequest', texts.message, { target: 'document' });
  return texts;
}
