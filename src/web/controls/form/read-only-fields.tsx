import { useId } from 'react';
import { type Entity, isEntity, typeOfEntity } from '../../service/entity.ts';
import type { Property, StructuredType } from '../../service/metadata.ts';
import { describeValue } from './describe-value.ts';
import { itemProperty } from './draft.ts';
import { GroupField } from './group-field.tsx';
import { hasLines } from './typed-input.tsx';

interface ReadOnlyFieldsProps {
  readonly type: StructuredType;
  readonly entity: Entity;
}

/** A read-only input for each property of the type that the entity is of, with its value. */
export function ReadOnlyFields({ type, entity }: ReadOnlyFieldsProps) {
  const shown = typeOfEntity(entity, type).properties.filter(({ writeOnly }) => !writeOnly);
  return shown.map((property) => (
    <ReadOnlyProperty key={property.name} property={property} value={entity[property.name]} />
  ));
}

interface ReadOnlyPropertyProps {
  readonly property: Property;
  readonly value: unknown;
}

function ReadOnlyProperty({ property, value }: ReadOnlyPropertyProps) {
  const { type, isCollection, label } = property;
  if (type.kind !== 'complex' || value === null) return <ReadOnlyField property={property} value={value} />;
  const item = itemProperty(property);
  return (
    <GroupField property={property} problem={undefined}>
      {isEntity(value) && <ReadOnlyFields type={type.structure} entity={value} />}
      {isCollection &&
        Array.isArray(value) &&
        value.map((one, index) => {
          const name = `${label} ${index + 1}`;
          return <ReadOnlyProperty key={name} property={{ ...item, label: name }} value={one} />;
        })}
    </GroupField>
  );
}

function ReadOnlyField({ property, value }: ReadOnlyPropertyProps) {
  const id = useId();
  const text = describeValue(property, value);
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
