import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Model } from '../../../model/model.ts';

/** Part 1, 11.2.12: `*` is the present version; one that the service does not have is not found. */
export function demandSchemaVersion({ schemaVersion }: Model, wanted: string | undefined): void {
  if (wanted === undefined || wanted === '*' || wanted === schemaVersion) return;
  const known = schemaVersion === undefined ? 'the schema has no version' : `the version is ${schemaVersion}`;
  throw new GatewayError('NotFound', `$schemaversion: ${known}, found "${wanted.slice(0, 40)}".`, {
    target: '$schemaversion',
  });
}
