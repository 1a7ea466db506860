import { RequestFailure } from '../../service/request.ts';

interface ConfirmChangesProps {
  readonly error: Error | null;
  /** Repeats the action with the shown changes confirmed. */
  readonly confirm: (shown: readonly string[]) => void;
  readonly isPending: boolean;
}

/** Shows the breaking changes and new permissions, and asks for a confirmation. */
export function ConfirmChanges({ error, confirm, isPending }: ConfirmChangesProps) {
  if (!(error instanceof RequestFailure) || !error.mistakes.some(({ target }) => isConfirmation(target)))
    return null;
  const messagesOf = (kind: string): readonly string[] =>
    error.mistakes.filter(({ target }) => target === kind).map(({ message }) => message);
  const [breaking, granting, compatible] = [
    messagesOf('breaking'),
    messagesOf('granting'),
    messagesOf('compatible'),
  ];
  return (
    <div className="banner bad" role="alert">
      {breaking.length > 0 && (
        <>
          <p>This takes something away from users of the API:</p>
          <Messages messages={breaking} />
        </>
      )}
      {granting.length > 0 && (
        <>
          <p>This gives roles more rights:</p>
          <Messages messages={granting} />
        </>
      )}
      {compatible.length > 0 && (
        <>
          <p>Other changes:</p>
          <Messages messages={compatible} />
        </>
      )}
      <div className="buttons">
        <button
          type="button"
          className="danger"
          disabled={isPending}
          onClick={() => confirm([...breaking, ...granting])}
        >
          Change it anyway
        </button>
      </div>
    </div>
  );
}

function Messages({ messages }: { readonly messages: readonly string[] }) {
  return (
    <ul className="told-changes">
      {messages.map((message) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  );
}

/** Whether an error asks for a confirmation, which {@link ConfirmChanges} shows. */
export function isConfirmation(target: string | undefined): boolean {
  return target === 'confirm' || target === 'breaking' || target === 'granting' || target === 'compatible';
}
