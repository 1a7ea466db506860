import { type DragEvent, useId, useRef, useState } from 'react';

/** A file that was dropped or chosen. */
export interface ChosenFile {
  readonly name: string;
  readonly text: string;
}

interface DocumentFileProps {
  readonly label: string;
  readonly problem: string | undefined;
  readonly onChoose: (file: ChosenFile) => void;
}

/** More is not taken. */
const MOST_BYTES = 5 * 1024 * 1024;

/** A place to drop an OpenAPI file on, or to choose one. */
export function DocumentFile({ label, problem, onChoose }: DocumentFileProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [tooLarge, setTooLarge] = useState<string>();
  const choose = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    setTooLarge(chosen.size > MOST_BYTES ? describeSize(chosen) : undefined);
    if (chosen.size <= MOST_BYTES) onChoose({ name: chosen.name, text: await chosen.text() });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (input.current !== null) input.current.files = event.dataTransfer.files;
    void choose(event.dataTransfer.files[0]);
  };
  const message = tooLarge ?? problem;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the input in it does the same by keyboard. */}
      <div
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          id={id}
          ref={input}
          type="file"
          accept=".yaml,.yml,.json,application/json,application/yaml"
          aria-invalid={message !== undefined}
          aria-describedby={`${id}-hint${message === undefined ? '' : ` ${id}-problem`}`}
          onChange={({ target }) => void choose(target.files?.[0])}
        />
        <p className="hint" id={`${id}-hint`}>
          OpenAPI 3.1 as YAML or JSON, at most 5 MB. Drop it here or choose it.
        </p>
      </div>
      {message !== undefined && (
        <p className="problem" id={`${id}-problem`}>
          {message}
        </p>
      )}
    </div>
  );
}

function describeSize({ name, size }: File): string {
  return `${name} has ${(size / 1024 / 1024).toFixed(1)} MB; at most 5 MB are taken.`;
}
