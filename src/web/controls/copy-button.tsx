import { useMutation } from '@tanstack/react-query';

interface CopyButtonProps {
  readonly text: string;
  /** What it is that is copied, where that does not stand beside it. */
  readonly what?: string;
}

/** Copies a text. Browsers allow it to pages of https and of this machine alone: elsewhere the text must be marked by hand. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const { mutate, data, isSuccess, isError } = useMutation({
    mutationFn: async () => {
      await navigator.clipboard.writeText(text);
      return text;
    },
  });
  const isCopied = isSuccess && data === text;
  return (
    <>
      <button
        type="button"
        aria-label={what && `${isCopied ? 'Copied' : 'Copy'} ${what}`}
        onClick={() => mutate()}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </button>
      {isError && <span className="hint">The browser does not allow this. Select the text and copy it.</span>}
    </>
  );
}
