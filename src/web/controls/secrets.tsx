import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Choice, SelectField } from './inputs.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied. */
  readonly what: string;
}

/** Copies a text. Browsers allow it to pages of https and of this machine alone: elsewhere the text must be marked by hand. */
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
  /** What is copied. */
  readonly what: string;
  /** What is said above it. */
  readonly children: ReactNode;
}

/** A text that is not shown again, to be copied. */
export function ShownOnce({ text, what, children }: ShownOnceProps) {
  return (
    <div className="banner good">
      <p>{children}</p>
      <code className="secret">{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}

/** A key that has just been made; it is told as soon as there is one. */
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
  /** Undefined is without end. */
  readonly days: number | undefined;
  readonly onChange: (days: number | undefined) => void;
}

/** How long a key is valid. */
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
  /** What it is good for. */
  readonly reach: string;
  /** Since when it is, and until when. */
  readonly hint: ReactNode;
  /** What the button says, such as `Revoke`, and what it is called. */
  readonly label: string;
  readonly name: string;
  readonly revoke: () => void;
}

/** An item of a list of what has been given and can be taken back. */
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
