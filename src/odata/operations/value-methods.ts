import type { ValueResource } from '../../engine/resource/resource.ts';
import type { QueryOptions } from '../../engine/tree/options-tree.ts';
import type { TypeUse } from '../../model/edm.ts';
import { changeProperty, type PropertyMethod } from './handlers/change/change-property.ts';
import { changeRawValue } from './handlers/change/change-raw-value.ts';
import { readRawValue } from './handlers/read/read-raw-value.ts';
import { readValue } from './handlers/read/read-value.ts';
import { permittedChange } from './service/permitted-change.ts';
import type { RequestHandler, Service } from './service/service.ts';

type Offered = ReadonlyMap<string, () => RequestHandler>;

/** What can be done with a property, or a part of one, or a result. */
export function offeredOnValue(service: Service, value: ValueResource, options: QueryOptions): Offered {
  const { use, origin } = value;
  const offered = new Map<string, () => RequestHandler>();
  const isProperty = origin.kind === 'property';
  if (!isProperty || origin.readable) offered.set('GET', () => readValue(service, value, options));
  const update = isProperty && origin.settable ? origin.entity.update : undefined;
  if (!isProperty || update === undefined) return offered;
  for (const method of propertyMethods(use)) {
    offered.set(method, () => {
      return permittedChange(service, origin.entity, 'Update', options, (asked) =>
        changeProperty(service, { ...value, origin }, update, method, asked),
      );
    });
  }
  return offered;
}

/** What can be read can be read as it is, and what can be replaced or taken away, too. */
export function offeredOnRawValue(service: Service, value: ValueResource, options: QueryOptions): Offered {
  const { use, origin } = value;
  const offered = new Map<string, () => RequestHandler>([
    ['GET', () => readRawValue(service, value, options)],
  ]);
  const update = origin.kind === 'property' && origin.settable ? origin.entity.update : undefined;
  if (origin.kind !== 'property' || update === undefined || use.type.name.startsWith('Edm.Geo'))
    return offered;
  for (const method of use.nullable ? (['PUT', 'DELETE'] as const) : (['PUT'] as const)) {
    offered.set(method, () => {
      return permittedChange(service, origin.entity, 'Update', options, (asked) =>
        changeRawValue(service, { ...value, origin }, update, method, asked),
      );
    });
  }
  return offered;
}

/** Only a complex value has parts, and only what may be null or empty can be taken away (Part 1, 11.4.9). */
function propertyMethods({ type, collection, nullable }: TypeUse): readonly PropertyMethod[] {
  const isComplex = type.kind === 'complex' && !collection;
  return [
    'PUT',
    ...(isComplex ? (['PATCH'] as const) : []),
    ...(nullable || collection ? (['DELETE'] as const) : []),
  ];
}
