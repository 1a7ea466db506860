import type { AriaAttributes } from 'react';
import { Field } from './field.tsx';

/** A value to choose, and what it is called. */
export type Choice = readonly [value: string, label: string];

interface SelectProps extends AriaAttributes {
  readonly id?: string;
  readonly className?: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}

export function Select({ choices, onChange, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={({ target }) => onChange(target.value)}>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** A select with its label. */
export function SelectField({ label, ...props }: SelectProps & { readonly label: string }) {
  return <Field label={label}>{({ id }) => <Select id={id} {...props} />}</Field>;
}
