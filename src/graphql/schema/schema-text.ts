import { printSchema } from 'graphql';
import type { Model } from '../../model/model.ts';
import { schemaNames } from '../context/schema-names.ts';
import { buildSchema } from './build-schema.ts';

/** The schema of a service in GraphQL's own language; `visible` is the part of the model that is to be shown. */
export function schemaText(model: Model, visible: Model = model): string {
  return `${printSchema(buildSchema({ model: visible, names: schemaNames(model) }))}\n`;
}
