import { Field } from '../../controls/field.tsx';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  /** It may have several lines. */
  readonly isLong?: boolean;
}

/** An input for a text. */
export function TextField({ value, onChange, isLong = false, ...field }: TextFieldProps) {
  const Input = isLong ? 'textarea' : 'input';
  return (
    <Field {...field}>
      {(attributes) => (
        <Input
          {...attributes}
          value={value}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
