import { type AriaAttributes, type ReactNode, useId } from 'react';

/** What ties an input to its label, and to what is said of it. */
export type FieldAttributes = AriaAttributes & { readonly id: string };

interface FieldProps {
  readonly label: string;
  readonly isRequired?: boolean;
  /** What the input is for. */
  readonly hint?: string | undefined;
  /** What is wrong with what it has. */
  readonly problem?: string | undefined;
  readonly children: (attributes: FieldAttributes) => ReactNode;
}

/** An input with its label, what it is for, and what is wrong with it. */
export function Field({ label, isRequired = false, hint = '', problem, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </label>
      {children({
        id,
        'aria-required': isRequired,
        'aria-invalid': problem !== undefined,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
      })}
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
