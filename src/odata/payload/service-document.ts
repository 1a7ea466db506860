import type { Model } from '../../model/edm.ts';
import { controlPrefix } from './control-information.ts';
import type { JsonFormat } from './format.ts';
import type { ODataVersion } from './version.ts';

/** The service document (JSON Format, 5): what the service offers at its root. */
export function writeServiceDocument(
  model: Model,
  serviceRoot: string,
  format: JsonFormat,
  version: ODataVersion,
): string {
  const context = { [`${controlPrefix(version)}context`]: `${serviceRoot}/$metadata` };
  const value = [
    ...[...model.entitySets.keys()].map((name) => ({ name, kind: 'EntitySet', url: name })),
    ...[...model.singletons.keys()].map((name) => ({ name, kind: 'Singleton', url: name })),
  ];
  return JSON.stringify({ ...(format.metadata !== 'none' && context), value });
}
