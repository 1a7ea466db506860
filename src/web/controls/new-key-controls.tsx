import { CopyButton } from './copy-button.tsx';
import { Field } from './field.tsx';

/** A key that has just been made. */
export function FreshKey({ secret }: { readonly secret: string }) {
  return (
    <div className="banner good" role="status">
      <p>Copy your key now. It will not be shown again:</p>
      <code className="secret">{secret}</code>
      <CopyButton text={secret} what="the key" />
    </div>
  );
}

const LIVES = [30, 90, 365];

interface LifeFieldProps {
  /** Undefined is without end. */
  readonly days: number | undefined;
  readonly onChange: (days: number | undefined) => void;
}

/** How long a key is valid. */
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
