import { type ReactNode, useRef, useState } from 'react';
import { FormFailure } from '../state/failure.tsx';
import { ActionButton } from './inputs.tsx';

interface DialogButtonProps {
  readonly label: string;
  readonly className?: string;
  /** The accessible name, if the label is not clear enough. */
  readonly name?: string;
  readonly title: string;
  /** The content of the dialog, created whenever it opens. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a modal dialog. */
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
  /** The label of the confirming button. */
  readonly label: string;
  /** Such as `Deleting …`. */
  readonly doing: string;
  readonly act: () => void;
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  /** Closes the dialog without the action. */
  readonly keep: () => void;
  /** The description of what will be deleted. */
  readonly children: ReactNode;
}

/** Asks for a confirmation in a dialog. */
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
