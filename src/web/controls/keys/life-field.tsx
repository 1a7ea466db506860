import { Field } from '../field.tsx';

const LIVES = [30, 90, 365];

interface LifeFieldProps {
  /** Undefined is without end. */
  readonly days: number | undefined;
  readonly onChange: (days: number | undefined) => void;
}

/** For how long a key is good. */
export function LifeField({ days, onChange }: LifeFieldProps) {
  const choose = (text: string): void => onChange(text === '' ? undefined : Number(text));
  return (
    <Field label="Valid for">
      {({ id }) => (
        <select id={id} value={days ?? ''} onChange={({ target }) => choose(target.value)}>
          <option value="">until it is revoked</option>
          {LIVES.map((life) => (
            <option key={life} value={life}>
              {life} days
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
