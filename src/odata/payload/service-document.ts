import type { Model } from '../../model/edm.ts';
import type { JsonFormat } from './format.ts';
import { controlPrefix } from './json.ts';
import type { ODataVersion } from './version.ts';

/** The service document (JSON Format, 5): what the service offers at its root. */
export function writeServiceDocument(
  model: Model,
  serviceRoot: string,
  format: JsonFormat,
  version: ODataVersion,
): string {
  const context = { [`${controlPrefix(version)}context`]: `${serviceRoot}/$metadata` };
  const value = [...model.entitySets.keys()].map((name) => ({ name, kind: 'EntitySet', url: name }));
  return JSON.stringify({ ...(format.metadata !== 'none' && context), value });
}
