import type { TypeUse } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { qualifiedTypeName } from '../csdl/csdl-property.ts';
import type { JsonFormat } from '../negotiation/format.ts';
import type { ODataVersion } from '../negotiation/version.ts';

/** What starts the names of control information in the version's payloads (JSON Format, 4.5). */
export function controlPrefix(version: ODataVersion): '@' | '@odata.' {
  return version === '4.01' ? '@' : '@odata.';
}

/** The value of the control information `type` (JSON Format, 4.5.3). */
export function typeReference(
  { type, collection }: Pick<TypeUse, 'type' | 'collection'>,
  version: ODataVersion,
): string {
  const isBuiltIn = type.kind === 'primitive';
  const name = isBuiltIn ? type.name.slice('Edm.'.length) : qualifiedTypeName(type);
  // 4.01 writes built-in types without the hash sign.
  const hash = isBuiltIn && version === '4.01' ? '' : '#';
  return hash + (collection ? `Collection(${name})` : name);
}

/** What decides how values look in JSON, whatever they belong to. */
export interface JsonStyle {
  readonly model: Model;
  readonly format: JsonFormat;
  readonly version: ODataVersion;
  /** The preference `omit-values` (Part 1, 8.2.8.6): which properties may be left out. */
  readonly omit?: 'nulls' | 'defaults' | undefined;
  /** What of the model links may name: what whoever asks may know of. Undefined for all of it. */
  readonly told?: Model | undefined;
}
