import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readConfig } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { DocumentMistake } from '../document/document-mistake.ts';
import { type OpenApiDescription, readDescription } from '../document/openapi-description.ts';
import { overlayFiles } from '../document/overlay/overlay-file.ts';
import type { Model } from '../model/edm.ts';
import { modelFromOpenApi } from '../model/from-openapi.ts';
import { resourceGrants } from '../model/resource-grants.ts';
import { type Grant, overlayWithGrant } from '../project/overlay-grant.ts';
import { replaceFile } from '../registry/folder/replace-file.ts';
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
  // As the vendor has it: what the overlay changes is said anew.
  const { document, file: name } = readTexts(file);
  return { file, description: readDescription({ document, file: name }), model };
}

/** Writes the overlay, where it has the effect that is meant; comes back with what holds from then on. */
async function grantIn({ file, description, model }: GrantedApi, grant: Grant): Promise<string> {
  const { entity, role } = grant;
  const texts = readTexts(file);
  const overlay = overlayFiles(file).find((each) => existsSync(each)) ?? overlayFiles(file)[0] ?? '';
  const text = overlayWithGrant(description, model, texts.overlay?.text, grant);
  const { document } = readDescription({ ...texts, overlay: { file: basename(overlay), text } });
  const granted = resourceGrants(modelFromOpenApi([{ name: 'Api', document }]).model);
  const names = entity === '*' ? [...granted.keys()] : [entity];
  const held = names.map((name) => [name, [...(granted.get(name)?.get(role) ?? [])]] as const);
  if (entity !== '*') refuseOther(grant, overlay, held[0]?.[1] ?? []);
  await replaceFile(overlay, text);
  const lines = held.map(([name, each]) => `${role} may ${each.join(', ') || 'do nothing with'} ${name}\n`);
  return `${lines.join('')}(${overlay})\n`;
}

/** A grant that would not have the effect that it says is not written. */
function refuseOther({ entity, role, rights }: Grant, overlay: string, held: readonly string[]): void {
  if (isDeepStrictEqual(new Set(held), new Set(rights))) return;
  const found = held.join(', ') || 'nothing';
  const message = `${overlay} is left as it is: grants of the document or its overlay at other places would let ${role} do ${found} with ${entity}.`;
  throw new GatewayError('Conflict', message);
}
