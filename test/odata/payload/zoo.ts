import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import type { EntityType } from '../../../src/model/edm.ts';
import type { Model } from '../../../src/model/model.ts';

const document: unknown = parse(readFileSync(new URL('zoo.yaml', import.meta.url), 'utf8'));

/** The model of `zoo.yaml`. */
export const ZOO: Model = modelFromOpenApi([{ name: 'Zoo', document }]).model;

/** The body schema for creating an animal. */
export const SENT_ANIMAL = ZOO.entitySets.get('Animal')?.insert?.sent;

export function entityTypeNamed(name: string): EntityType {
  const type = ZOO.entityTypes.get(name);
  if (type === undefined) throw new Error(`The zoo has no ${name}`);
  return type;
}
