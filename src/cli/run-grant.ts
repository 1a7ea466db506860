import { basename, resolve } from 'node:path';
import { whileProjectLocked } from '../composition/auth-module.ts';
import type { ServiceShape } from '../contract/api-report.ts';
import { compareServices } from '../contract/service-changes.ts';
import { modelFromOpenApi } from '../derive/model-from-openapi.ts';
import type { Model } from '../model/model.ts';
import { type DescriptionTexts, readDescription } from '../openapi/openapi-description.ts';
import { overlayFile, overlayFiles } from '../openapi/overlay/overlay-document.ts';
import { type Grant, overlayWithGrant } from '../project/access/overlay-grants.ts';
import { shapeService } from '../project/access/shape-service.ts';
import { type ApiFolder, apiFolder, isOwnFile, readApis } from '../registry/folder/api-folder.ts';
import { changeFiles } from '../registry/folder/change-files.ts';
import { type ProjectLock, whileLocked } from '../registry/folder/project-lock.ts';
import { recoverProject } from '../registry/folder/unfinished-change.ts';
import { recordChange } from '../registry/history/api-history.ts';
import { auditChanges } from './audit-changes.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { deriveFromFiles, deriveFromProject, readTexts } from './derive-model.ts';
import { readCommandConfig } from './project-environment.ts';

/** An API of the project with its own model. */
interface GrantedApi {
  readonly name: string;
  readonly file: string;
  readonly model: Model;
}

/** Writes a grant to the overlays of the project's documents that contain the entity. */
export function runGrant(grant: Grant, io: Io): Promise<ExitCode> {
  return reportingMistakes(io, async () => {
    const config = readCommandConfig(io);
    const { meshConfig } = config;
    const folder = apiFolder(meshConfig);
    await recoverProject(folder);
    const change = async (lock: ProjectLock): Promise<void> => {
      const { sources } = await deriveFromProject(meshConfig, io.environment);
      for (const { file } of sources) lock.remember([file, ...overlayFiles(file)]);
      const apis = await Promise.all(sources.map(readApi));
      const meant = apis.filter(({ model }) => grant.entity === '*' || has(model, grant.entity));
      // If no API has it, the error of the first one lists its entities.
      for (const api of meant.length > 0 ? meant : apis.slice(0, 1)) {
        io.write(await grantIn(folder, lock, api, grant), 'stdout');
        await auditChanges([{ action: `granted ${grant.entity}`, subject: api.name }], io);
      }
    };
    const hasAccounts = io.environment['AUTH'] !== 'off';
    await whileProjectLocked(config, hasAccounts, () => whileLocked(folder, change));
    return true;
  });
}

function has(model: Model, entity: string): boolean {
  return model.entitySets.has(entity) || model.singletons.has(entity) || model.imports.has(entity);
}

async function readApi({ name, file }: Pick<GrantedApi, 'name' | 'file'>): Promise<GrantedApi> {
  return { name, file, model: (await deriveFromFiles([file])).model };
}

/** Writes the overlay if it has the intended effect; returns the resulting grants. */
async function grantIn(
  folder: ApiFolder,
  lock: ProjectLock,
  { file }: GrantedApi,
  grant: Grant,
): Promise<string> {
  const { entity, role } = grant;
  const texts = readTexts(file);
  const { text, granted } = overlayWithGrant(texts, grant);
  const overlay = overlayFile(file);
  const nothing = async (): Promise<void> => undefined;
  const changes = new Map([...recorded(folder, file, texts, text), [overlay, text] as const]);
  await changeFiles(folder, lock, changes, nothing, nothing);
  const names = entity === '*' ? [...granted.keys()] : [entity];
  const lines = names.map((name) => {
    const held = [...(granted.get(name)?.get(role) ?? [])];
    return `${role} may ${held.join(', ') || 'do nothing with'} ${name}\n`;
  });
  return `${lines.join('')}(${overlay})\n`;
}

/** The history entry with the state before, for a registered API. */
function recorded(folder: ApiFolder, file: string, texts: DescriptionTexts, text: string) {
  const path = resolve(file);
  const entry = isOwnFile(folder, path) ? readApis(folder).find((api) => api.file === path) : undefined;
  if (entry === undefined) return [];
  const later = { ...texts, overlay: { file: basename(overlayFile(file)), text } };
  const changes = compareServices(shapeOf(texts), shapeOf(later));
  return recordChange(folder, entry, { overlay: text }, { by: null, changes });
}

function shapeOf(texts: DescriptionTexts): ServiceShape {
  const description = readDescription(texts);
  const { model } = modelFromOpenApi([{ name: 'api', document: description.document }]);
  return shapeService(model);
}
