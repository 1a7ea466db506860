import { type ReactNode, useRef, useState } from 'react';
import { FormFailure } from '../state/failure.tsx';
import { ActionButton } from './inputs.tsx';

interface DialogButtonProps {
  readonly label: string;
  readonly className?: string;
  /** What the button is called where its label does not say enough. */
  readonly name?: string;
  readonly title: string;
  /** What the dialog holds, which is made anew whenever it is opened. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog over the page. */
export function DialogButton({ label, className, name, title, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (element: HTMLDialogElement | null): void => {
    dialog.current = element;
    if (element !== null && !element.open) element.showModal();
  };
  return (
    <>
      <button
        type="button"
        className={className}
        aria-haspopup="dialog"
        aria-label={name}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <dialog ref={open} className="card" aria-label={title} onClose={() => setOpen(false)}>
          <h2>{title}</h2>
          {/* The browser gives the focus back to the button only where the dialog is closed before it goes. */}
          {children(() => dialog.current?.close())}
        </dialog>
      )}
    </>
  );
}

interface ConfirmationProps {
  /** What the button says that does it. */
  readonly label: string;
  /** Such as `Deleting …`. */
  readonly doing: string;
  readonly act: () => void;
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  /** Leaves all as it is. */
  readonly keep: () => void;
  /** What goes. */
  readonly children: ReactNode;
}

/** Says in a dialog what will be taken away, before it is. */
export function Confirmation({ label, doing, act, change, keep, children }: ConfirmationProps) {
  return (
    <>
      <p>{children}</p>
      <FormFailure error={change.error} />
      <div className="buttons">
        <button type="button" onClick={keep}>
          Keep it
        </button>
        <ActionButton label={label} doing={doing} isPending={change.isPending} act={act} isDangerous />
      </div>
    </>
  );
}
