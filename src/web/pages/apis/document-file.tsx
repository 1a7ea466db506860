import { useState } from 'react';
import { Field } from '../../controls/field.tsx';
import { DropPlace } from './drop-place.tsx';

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
  const [tooLarge, setTooLarge] = useState<string>();
  const choose = async (file: File): Promise<void> => {
    const fits = file.size <= MOST_BYTES;
    setTooLarge(fits ? undefined : describeSize(file));
    if (fits) onChoose({ name: file.name, text: await file.text() });
  };
  return (
    <Field
      label={label}
      hint="OpenAPI 3.1, 3.0 or Swagger 2.0, as YAML or JSON, up to 5 MB. Drop it here or choose it."
      problem={tooLarge ?? problem}
    >
      {(attributes) => <DropPlace attributes={attributes} onFile={(file) => void choose(file)} />}
    </Field>
  );
}

function describeSize({ name, size }: File): string {
  return `${name} is ${(size / 1024 / 1024).toFixed(1)} MB; the limit is 5 MB.`;
}
