import { useId } from 'react';
import type { Property } from '../../service/metadata.ts';
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

/** An input with its label, what it is for, and what is wrong with it. */
export function InputField({ property, text, problem, onChange, isSingleLine = false }: InputFieldProps) {
  const id = useId();
  const { label, nullable } = property;
  const hint = hintOf(property);
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
        {!nullable && <span className="required"> (required)</span>}
      </label>
      <TypedInput
        property={property}
        isSingleLine={isSingleLine}
        value={text}
        onChange={onChange}
        attributes={{
          id,
          'aria-required': !nullable,
          'aria-invalid': problem !== undefined,
          'aria-describedby': describedBy === '' ? undefined : describedBy,
        }}
      />
      {hint !== '' && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p className="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

/** What the input is for, and what it takes. */
function hintOf({ description, type, limits }: Property): string {
  const limit = limits.maxLength === undefined ? undefined : `At most ${limits.maxLength} characters.`;
  return [description, limit, formHint(type.name)].filter((part) => part !== undefined).join(' ');
}
