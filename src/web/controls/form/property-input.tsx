import type { Property } from '../../service/metadata.ts';
import { CollectionInput } from './collection-input.tsx';
import { emptyStructure } from './draft.ts';
import { FlagsField } from './flags-field.tsx';
import { GroupField } from './group-field.tsx';
import { InputField } from './input-field.tsx';
import type { PropertyInputProps } from './property-input-props.ts';
import { StructureInputs } from './structure-inputs.tsx';

/** The input, or the group of inputs, for values of the property's type. */
export function PropertyInput(props: PropertyInputProps) {
  const { property, draft, problems, path, onChange } = props;
  switch (draft.kind) {
    case 'items':
      return <CollectionInput {...props} draft={draft} Input={PropertyInput} />;
    case 'absent':
    case 'structure':
      return <StructureInput {...props} />;
    case 'text': {
      const Field = isFlags(property) ? FlagsField : InputField;
      return (
        <Field
          property={property}
          text={draft.text}
          problem={Object.hasOwn(problems, path) ? problems[path] : undefined}
          onChange={(text) => onChange({ kind: 'text', text })}
        />
      );
    }
  }
}

/** A structure that may be left out is there when it has been added. */
function StructureInput({ property, draft, problems, path, onChange }: PropertyInputProps) {
  const { type, label, nullable } = property;
  if (type.kind !== 'complex') return null;
  const add = (): void => onChange(emptyStructure(type.structure));
  return (
    <GroupField property={property} problem={problems[path]}>
      {draft.kind === 'structure' ? (
        <StructureInputs
          type={type.structure}
          draft={draft}
          problems={problems}
          path={`${path}/`}
          Input={PropertyInput}
          onChange={onChange}
        />
      ) : (
        <button type="button" className="add" onClick={add}>
          Add {label}
        </button>
      )}
      {draft.kind === 'structure' && nullable && (
        <button type="button" className="remove" onClick={() => onChange({ kind: 'absent' })}>
          Remove {label}
        </button>
      )}
    </GroupField>
  );
}

function isFlags({ type }: Property): boolean {
  return type.kind === 'enum' && type.flags;
}
