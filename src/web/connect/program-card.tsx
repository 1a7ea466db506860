import { CopyButton } from '../controls/copy-button.tsx';
import type { Target } from './program-texts.ts';
import type { Program } from './programs.tsx';

interface ProgramCardProps {
  readonly program: Program;
  readonly target: Target;
}

/** What a program is told, and what is to be done with it. */
export function ProgramCard({ program, target }: ProgramCardProps) {
  const { name, caption, file, steps } = program;
  const text = program.text(target);
  return (
    <section className="program" aria-label={name}>
      {steps?.(target)}
      <div className="program-head">
        <p className="program-caption">{caption}</p>
        {file !== undefined && (
          <SaveButton file={`${target.entitySet}.${file.type}`} text={file.text(target)} />
        )}
        <CopyButton text={text} what={`the text for ${name}`} />
      </div>
      <pre className="program-text">{text}</pre>
    </section>
  );
}

function SaveButton({ file, text }: { readonly file: string; readonly text: string }) {
  return (
    <button type="button" onClick={() => save(file, text)}>
      Save {file}
    </button>
  );
}

/** Has the browser save a text as a file. */
function save(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}
