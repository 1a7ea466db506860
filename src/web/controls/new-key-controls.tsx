import { CopyButton } from './copy-button.tsx';
import { type Choice, SelectField } from './select.tsx';

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

const LIVES: readonly Choice[] = [
  ['', 'until it is revoked'],
  ...[30, 90, 365].map((days): Choice => [String(days), `${days} days`]),
];

interface LifeFieldProps {
  /** Undefined is without end. */
  readonly days: number | undefined;
  readonly onChange: (days: number | undefined) => void;
}

/** How long a key is valid. */
export function LifeField({ days, onChange }: LifeFieldProps) {
  return (
    <SelectField
      label="Valid for"
      value={String(days ?? '')}
      choices={LIVES}
      onChange={(life) => onChange(life === '' ? undefined : Number(life))}
    />
  );
}
