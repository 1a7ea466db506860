import type { Model } from '../../../model/model.ts';
import type { JsonFormat } from '../negotiation/format.ts';
import type { ODataVersion } from '../negotiation/version.ts';

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
