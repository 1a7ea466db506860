import { existsSync, writeFileSync } from 'node:fs';
import { readConfig } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { DocumentMistake } from '../document/document-mistake.ts';
import { type OpenApiDescription, readDescription } from '../document/openapi-description.ts';
import { overlayFiles } from '../document/overlay/overlay-file.ts';
import type { Model } from '../model/edm.ts';
import { resourceGrants } from '../model/resource-grants.ts';
import { type Grant, overlayWithGrant } from '../project/overlay-grant.ts';
import { deriveFromFiles, deriveFromProject } from './derive-model.ts';
import { readTexts } from './read-texts.ts';
import type { Io } from './run-command.ts';

/** An API of the project, and the model of what it is alone. */
interface GrantedApi {
  readonly file: string;
  readonly description: OpenApiDescription;
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
  return model.entitySets.has(entity) || model.singletons.has(entity);
}

async function readApi(file: string): Promise<GrantedApi> {
  const { model } = await deriveFromFiles([file]);
  return { file, description: readDescription(readTexts(file)), model };
}

/** Writes the overlay; comes back with what holds from then on. */
async function grantIn({ file, description, model }: GrantedApi, grant: Grant): Promise<string> {
  const earlier = readTexts(file).overlay;
  const overlay = overlayFiles(file).find((each) => existsSync(each)) ?? overlayFiles(file)[0] ?? '';
  writeFileSync(overlay, overlayWithGrant(description, model, earlier?.text, grant));
  const now = resourceGrants((await deriveFromFiles([file])).model);
  const names = grant.entity === '*' ? [...now.keys()] : [grant.entity];
  const lines = names.map((name) => {
    const rights = [...(now.get(name)?.get(grant.role) ?? [])];
    return `${grant.role} may ${rights.length === 0 ? 'do nothing' : rights.join(', ')} with ${name}\n`;
  });
  return `${lines.join('')}(${overlay})\n`;
}
