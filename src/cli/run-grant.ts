import { readConfig } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Model } from '../model/edm.ts';
import { overlayFile } from '../openapi/overlay/overlay-file.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import { type Grant, overlayWithGrant } from '../project/access/overlay-grants.ts';
import { replaceFile } from '../registry/folder/replace-file.ts';
import type { Io } from './command-io.ts';
import { deriveFromFiles, deriveFromProject } from './derive-model.ts';
import { readTexts } from './read-texts.ts';

/** An API of the project, and the model of what it is alone. */
interface GrantedApi {
  readonly file: string;
  readonly model: Model;
}

/** Writes a grant to the overlays of the project's documents that have the entity. */
export async function runGrant(grant: Grant, { environment, write }: Io): Promise<boolean> {
  try {
    const { meshConfig } = readConfig({ ...environment, AUTH: 'off', HOST: '' });
    const { sources } = await deriveFromProject(meshConfig, environment);
    const apis = await Promise.all(sources.map(({ file }) => readApi(file)));
    const meant = apis.filter(({ model }) => grant.entity === '*' || has(model, grant.entity));
    // Where none has it, the first says which there are.
    for (const api of meant.length > 0 ? meant : apis.slice(0, 1)) write(await grantIn(api, grant), 'stdout');
    return true;
  } catch (error) {
    const isForPeople =
      error instanceof GatewayError || error instanceof AggregateError || error instanceof DocumentMistake;
    if (!isForPeople) throw error;
    write(`${error.message}\n`, 'stderr');
    return false;
  }
}

function has(model: Model, entity: string): boolean {
  return model.entitySets.has(entity) || model.singletons.has(entity) || model.imports.has(entity);
}

async function readApi(file: string): Promise<GrantedApi> {
  return { file, model: (await deriveFromFiles([file])).model };
}

/** Writes the overlay, where it has the effect that is meant; comes back with what holds from then on. */
async function grantIn({ file }: GrantedApi, grant: Grant): Promise<string> {
  const { entity, role } = grant;
  const { text, granted } = overlayWithGrant(readTexts(file), grant);
  const overlay = overlayFile(file);
  await replaceFile(overlay, text);
  const names = entity === '*' ? [...granted.keys()] : [entity];
  const lines = names.map((name) => {
    const held = [...(granted.get(name)?.get(role) ?? [])];
    return `${role} may ${held.join(', ') || 'do nothing with'} ${name}\n`;
  });
  return `${lines.join('')}(${overlay})\n`;
}
