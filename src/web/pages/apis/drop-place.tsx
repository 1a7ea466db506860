import { type DragEvent, useRef, useState } from 'react';
import type { FieldAttributes } from '../../controls/field.tsx';

interface DropPlaceProps {
  readonly attributes: FieldAttributes;
  readonly onFile: (file: File) => void;
}

/** An input for a file, around which one can be dropped. */
export function DropPlace({ attributes, onFile }: DropPlaceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    // The input says which file there is, however it came.
    if (input.current !== null) input.current.files = event.dataTransfer.files;
    take(event.dataTransfer.files);
  };
  const hover = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input in it does the same by keyboard.
    <div
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        {...attributes}
        ref={input}
        type="file"
        accept=".yaml,.yml,.json,application/json,application/yaml"
        onChange={({ target }) => take(target.files)}
      />
    </div>
  );
}
