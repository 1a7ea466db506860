import type { StructuredType } from '../../service/metadata.ts';
import { Field } from '../field.tsx';

interface TypeSelectProps {
  readonly type: StructuredType;
  readonly chosen: StructuredType | undefined;
  readonly problem: string | undefined;
  readonly onChange: (type: StructuredType | undefined) => void;
}

/** Chooses the type that a value is of: the declared one, unless it is abstract, or one that derives from it. */
export function TypeSelect({ type, chosen, problem, onChange }: TypeSelectProps) {
  const choices = [type, ...type.derived].filter(({ isAbstract }) => !isAbstract);
  const choose = (name: string): void => onChange(choices.find((choice) => choice.name === name));
  return (
    <Field label="Type" isRequired={type.isAbstract} problem={problem}>
      {(attributes) => (
        <select {...attributes} value={chosen?.name ?? ''} onChange={({ target }) => choose(target.value)}>
          {type.isAbstract && <option value="">Choose …</option>}
          {choices.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
