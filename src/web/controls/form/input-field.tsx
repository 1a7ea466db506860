import type { Property } from '../../service/metadata.ts';
import { Field } from '../field.tsx';
import { formHint } from './primitive-value.ts';
import { TypedInput } from './typed-input.tsx';

export interface InputFieldProps {
  readonly property: Property;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
  /** A text that may be long has one line all the same. */
  readonly isSingleLine?: boolean;
}

/** An input for values of the property's type. */
export function InputField({ property, text, problem, onChange, isSingleLine = false }: InputFieldProps) {
  const { label, nullable } = property;
  return (
    <Field label={label} isRequired={!nullable} hint={hintOf(property)} problem={problem}>
      {(attributes) => (
        <TypedInput
          property={property}
          isSingleLine={isSingleLine}
          value={text}
          onChange={onChange}
          attributes={attributes}
        />
      )}
    </Field>
  );
}

/** What the input is for, and what it takes. */
function hintOf({ description, type, limits }: Property): string {
  const limit = limits.maxLength === undefined ? undefined : `At most ${limits.maxLength} characters.`;
  return [description, limit, formHint(type.name)].filter((part) => part !== undefined).join(' ');
}
