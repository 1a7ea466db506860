import { useId } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  readonly isLong?: boolean;
  readonly isReadOnly?: boolean;
}

/** A text with its label, what it is for, and what is wrong with it. */
export function TextField(props: TextFieldProps) {
  const {
    label,
    value,
    onChange,
    hint,
    problem,
    isRequired = false,
    isLong = false,
    isReadOnly = false,
  } = props;
  const id = useId();
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const Input = isLong ? 'textarea' : 'input';
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </label>
      <Input
        id={id}
        value={value}
        readOnly={isReadOnly}
        aria-required={isRequired}
        aria-invalid={problem !== undefined}
        aria-describedby={describedBy === '' ? undefined : describedBy}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
      {hint !== undefined && (
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
