import { CopyButton } from '../copy-button.tsx';

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
