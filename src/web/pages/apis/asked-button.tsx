import { type ReactNode, useRef } from 'react';
import { FormFailure } from '../../state/form-failure.tsx';

interface AskedButtonProps {
  readonly label: string;
  /** What is asked. */
  readonly title: string;
  /** What is answered where it is meant. */
  readonly answer: string;
  /** Such as `Deleting …`. */
  readonly doing: string;
  readonly act: () => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isDangerous?: boolean;
  /** What goes. */
  readonly children: ReactNode;
}

/** A button for what takes something away: a dialog says what that is before it is done. */
export function AskedButton(props: AskedButtonProps) {
  const { label, title, answer, doing, act, error, isPending, isDangerous = false, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        className={isDangerous ? 'danger' : undefined}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} className="card" aria-label={title}>
        <h2>{title}</h2>
        {children}
        <FormFailure error={error} />
        <div className="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="button" className="danger" disabled={isPending} onClick={act}>
            {isPending ? doing : answer}
          </button>
        </div>
      </dialog>
    </>
  );
}
