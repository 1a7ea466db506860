import type { ReactNode } from 'react';
import { CopyButton } from '../../controls/copy-button.tsx';

interface TellOnceProps {
  readonly text: string;
  /** What is copied. */
  readonly what: string;
  /** What is said above it. */
  readonly children: ReactNode;
}

/** A text to hand on, which is not shown again. */
export function TellOnce({ text, what, children }: TellOnceProps) {
  return (
    <div className="banner good">
      <p>{children}</p>
      <code className="secret">{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}
