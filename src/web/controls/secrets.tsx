import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Choice, SelectField } from './inputs.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** The name of the text. */
  readonly what: string;
}

/**
 * Copies a text. Browsers allow this only on https and loopback pages; elsewhere the user has to select the
 * text.
 */
export function CopyButton({ text, what }: CopyButtonProps) {
  const { mutate, data, isSuccess, isError } = useMutation({
    mutationFn: async () => {
      await navigator.clipboard.writeText(text);
      return text;
    },
  });
  const verb = isSuccess && data === text ? 'Copied' : 'Copy';
  return (
    <>
      <button type="button" aria-label={`${verb} ${what}`} onClick={() => mutate()}>
        {verb}
      </button>
      {isError && <span className="hint">The browser does not allow this. Select the text and copy it.</span>}
    </>
  );
}

interface ShownOnceProps {
  readonly text: string;
  /** The name of the text. */
  readonly what: string;
  /** The explanation above the text. */
  readonly children: ReactNode;
}

/** A text to copy that is shown only once. */
export function ShownOnce({ text, what, children }: ShownOnceProps) {
  return (
    <div className="banner good">
      <p>{children}</p>
      <code className="secret">{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}

/** A new API key, announced to screen readers when it appears. */
export function FreshKey({ secret }: { readonly secret: string | undefined }) {
  return (
    <div className="told" role="status">
      {secret !== undefined && (
        <ShownOnce text={secret} what="the key">
          Copy your key now. It will not be shown again:
        </ShownOnce>
      )}
    </div>
  );
}

const LIVES: readonly Choice[] = [
  ['', 'No expiration'],
  ...[30, 90, 365].map((days): Choice => [String(days), `${days} days`]),
];

interface LifeFieldProps {
  /** Undefined for no expiry. */
  readonly days: number | undefined;
  readonly onChange: (days: number | undefined) => void;
}

/** Selects the validity of a key. */
export function LifeField({ days, onChange }: LifeFieldProps) {
  return (
    <SelectField
      label="Expiration"
      value={String(days ?? '')}
      choices={LIVES}
      onChange={(life) => onChange(life === '' ? undefined : Number(life))}
    />
  );
}

interface RevocableItemProps {
  readonly title: ReactNode;
  /** The permissions. */
  readonly reach: string;
  /** The time of creation and expiry. */
  readonly hint: ReactNode;
  /** The button's label, such as `Revoke`, and its accessible name. */
  readonly label: string;
  readonly name: string;
  readonly revoke: () => void;
}

/** An item in a list of revocable credentials. */
export function RevocableItem({ title, reach, hint, label, name, revoke }: RevocableItemProps) {
  return (
    <li className="key-row">
      <div className="key-text">
        <p className="key-name">{title}</p>
        <p className="key-scope">{reach}</p>
        <p className="hint">{hint}</p>
      </div>
      <button type="button" aria-label={name} onClick={revoke}>
        {label}
      </button>
    </li>
  );
}
