import type { FileReader } from '../../openapi/file-reader.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** They are all told together. */
export type Mistakes = string[];
export type Section = Readonly<Record<string, unknown>>;

export type ProjectFiles = Pick<FileReader, 'read' | 'readOpenApi' | 'readText'>;

/** What a project file is read with. */
export interface Reader {
  readonly directory: string;
  readonly environment: Environment;
  readonly mistakes: Mistakes;
  readonly files: ProjectFiles;
}

/** A mapping; what is none is a mistake. */
export function section(value: unknown, place: string, mistakes: Mistakes): Section | undefined {
  if (isSection(value)) return value;
  mistakes.push(`"${place}" must be a mapping`);
  return undefined;
}

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the gateway does not serve must not be taken for served. */
export function refuseOtherKeys(
  value: Section,
  known: ReadonlySet<string>,
  place: string,
  mistakes: Mistakes,
): void {
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    mistakes.push(
      `"${place === '' ? key : `${place}.${key}`}" is not served; known are ${[...known].join(', ')}`,
    );
  }
}
