import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';

interface CodeColours {
  readonly transformer: ReturnType<typeof transformerStyleToClass>;
  /** The style sheet's name at the site's root. */
  readonly name: string;
  /** Writes the style sheet, when all pages have been rendered. */
  readonly write: (outDir: string) => void;
}

/** Colours code by a style sheet: the gateway's content security policy allows no styles in attributes. */
export function codeColours(): CodeColours {
  const name = 'code.css';
  const transformer = transformerStyleToClass({ classPrefix: 'code-' });
  return {
    transformer,
    name,
    write: (outDir) => writeFileSync(join(outDir, name), transformer.getCSS()),
  };
}
