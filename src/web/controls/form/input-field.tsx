import { useId } from 'react';
import type { Property } from '../../service/metadata.ts';
import { TypedInput } from './typed-input.tsx';

interface InputFieldProps {
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
  const { label, description, nullable, maxLength } = property;
  const limit = maxLength === undefined ? undefined : `At most ${maxLength} characters.`;
  const hint = [description, limit].filter((part) => part !== undefined).join(' ');
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
