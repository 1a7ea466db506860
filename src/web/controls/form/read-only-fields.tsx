import { useId } from 'react';
import { type Entity, isEntity, writeValue } from '../../service/entity.ts';
import type { Property } from '../../service/metadata.ts';
import { isGroup } from './draft.ts';
import { hasLines } from './typed-input.tsx';

interface ReadOnlyFieldsProps {
  readonly properties: readonly Property[];
  readonly entity: Entity;
}

/** A read-only input for each property, with its value. */
export function ReadOnlyFields({ properties, entity }: ReadOnlyFieldsProps) {
  const shown = properties.filter(({ writeOnly }) => !writeOnly);
  return shown.map((property) => {
    const value = entity[property.name];
    if (isGroup(property) && isEntity(value)) {
      return (
        <fieldset key={property.name}>
          <legend>{property.label}</legend>
          <ReadOnlyFields properties={property.type.properties} entity={value} />
        </fieldset>
      );
    }
    return <ReadOnlyField key={property.name} property={property} value={value} />;
  });
}

function ReadOnlyField({ property, value }: { readonly property: Property; readonly value: unknown }) {
  const id = useId();
  const text = describe(property, value);
  const attributes = { id, readOnly: true, value: text, placeholder: 'No value' };
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {property.label}
      </label>
      {hasLines(property) && text !== '' ? (
        <textarea {...attributes} rows={text.split('\n').length} />
      ) : (
        <input type="text" {...attributes} />
      )}
    </div>
  );
}

function describe({ type, isCollection }: Property, value: unknown): string {
  if (isCollection || type.kind !== 'primitive' || value === null) return writeValue(value);
  if (type.name === 'Edm.Boolean' && typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (type.name === 'Edm.DateTimeOffset' && typeof value === 'string') {
    return new Date(value).toLocaleString();
  }
  return writeValue(value);
}
