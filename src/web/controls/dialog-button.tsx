import { type ReactNode, useRef, useState } from 'react';

interface DialogButtonProps {
  readonly label: string;
  /** What the button is called where its label does not say enough. */
  readonly name?: string;
  readonly title: string;
  /** What the dialog holds, which is made anew whenever it is opened. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog over the page. */
export function DialogButton({ label, name, title, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (element: HTMLDialogElement | null): void => {
    dialog.current = element;
    if (element !== null && !element.open) element.showModal();
  };
  return (
    <>
      <button type="button" aria-haspopup="dialog" aria-label={name} onClick={() => setOpen(true)}>
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
