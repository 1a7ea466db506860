import { useQuery } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { Field, type FieldAttributes } from '../../controls/inputs.tsx';
import { newProgressId } from '../../service/progress.ts';
import { type Check, checkDocument, isServable } from '../../service/registry.ts';
import { DocumentProgress } from './document-progress.tsx';
import { ModelReportView, ValidationReport } from './validation-report.tsx';

interface DocumentCheckProps {
  readonly file: ChosenFile;
}

/** Shows the findings on a file before it is stored. */
export function DocumentCheck({ file }: DocumentCheckProps) {
  const [progressId] = useState(newProgressId);
  const check = useQuery<Check>({
    queryKey: ['check', file.id],
    queryFn: async () => checkDocument(await sentFile(file), progressId),
    gcTime: 0,
  });
  return (
    <section
      className="checked"
      aria-label="Validation of the file"
      aria-live="polite"
      aria-busy={check.isFetching}
    >
      {check.isPending && <DocumentProgress id={progressId} otherwise="Sending the file …" />}
      {check.isError && (
        <p className="banner bad" role="alert">
          {check.error.message}
        </p>
      )}
      {check.isSuccess && (
        <>
          <ValidationReport report={check.data.report} />
          {isServable(check.data.report) && (
            <details className="findings">
              <summary>
                <h2 className="summed-up">What it becomes</h2>
              </summary>
              <ModelReportView model={check.data.model} />
            </details>
          )}
        </>
      )}
    </section>
  );
}

/** A dropped or selected file, whose content may still be loading. */
export interface ChosenFile {
  readonly id: string;
  readonly name: string;
  /** The text of a document, or a ZIP archive in base64. */
  readonly content: Promise<{ readonly document: string } | { readonly archive: string }>;
}

/** The file in the registry's format. */
export async function sentFile({ name, content }: ChosenFile) {
  return { fileName: name, ...(await content) };
}

async function contentOf(file: File): Promise<Awaited<ChosenFile['content']>> {
  if (!/\.zip$/i.test(file.name)) return { document: await file.text() };
  // Larger spreads would exceed the number of arguments.
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, at) =>
    String.fromCharCode(...bytes.subarray(at * CHUNK, (at + 1) * CHUNK)),
  );
  return { archive: btoa(parts.join('')) };
}

const CHUNK = 8192;

interface DocumentFileProps {
  readonly label: string;
  readonly problem: string | undefined;
  /** Called with undefined if the file is not accepted. */
  readonly onChoose: (file: ChosenFile | undefined) => void;
}

/** Maximum size of a file. */
const MOST_BYTES = 5 * 1024 * 1024;

/** A drop area and input for an OpenAPI file. */
export function DocumentFile({ label, problem, onChoose }: DocumentFileProps) {
  const [tooLarge, setTooLarge] = useState<string>();
  const choose = (file: File): void => {
    const fits = file.size <= MOST_BYTES;
    setTooLarge(fits ? undefined : describeSize(file));
    onChoose(fits ? { id: newProgressId(), name: file.name, content: contentOf(file) } : undefined);
  };
  return (
    <Field
      label={label}
      hint="OpenAPI 3.1, 3.0 or Swagger 2.0, as YAML or JSON, or a ZIP of several files, up to 5 MB. Drop it here or choose it."
      problem={tooLarge ?? problem}
    >
      {(attributes) => <DropPlace attributes={attributes} onFile={choose} />}
    </Field>
  );
}

function describeSize({ name, size }: File): string {
  return `${name} is ${(size / 1024 / 1024).toFixed(1)} MB; the limit is 5 MB.`;
}

interface DropPlaceProps {
  readonly attributes: FieldAttributes;
  readonly onFile: (file: File) => void;
}

/** A file input with a drop area around it. */
function DropPlace({ attributes, onFile }: DropPlaceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    // The input shows the name of a dropped file, too.
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
        accept=".yaml,.yml,.json,.zip,application/json,application/yaml,application/zip"
        onChange={({ target }) => take(target.files)}
      />
    </div>
  );
}
