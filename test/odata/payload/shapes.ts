import { entityUrl } from '../../../src/engine/resource/navigation-source.ts';
import type { EntityShape } from '../../../src/odata/payload/json/json.ts';
import type { JsonFormat } from '../../../src/odata/payload/negotiation/format.ts';
import { entityTypeNamed, ZOO } from './zoo.ts';

export const MINIMAL: JsonFormat = {
  metadata: 'minimal',
  ieee754Compatible: false,
  exponentialDecimals: false,
  streaming: false,
  charset: false,
};
export const FULL: JsonFormat = { ...MINIMAL, metadata: 'full' };
export const NONE: JsonFormat = { ...MINIMAL, metadata: 'none' };

/** The shape of animals with those properties. */
export function animals(shown: readonly string[], more: Partial<EntityShape> = {}): EntityShape {
  const entityType = entityTypeNamed('Animal');
  return {
    model: ZOO,
    entityType,
    canonical: entityUrl('Animal', entityType),
    computed: new Map(),
    shown,
    exact: true,
    contextUrl: '~/$metadata#Animal',
    format: MINIMAL,
    version: '4.0',
    ...more,
  };
}
