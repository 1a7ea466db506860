/** Aligns the columns of rows. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) =>
      Array.from({ length: Math.max(widest.length, row.length) }, (_, column) =>
        Math.max(widest[column] ?? 0, row[column]?.length ?? 0),
      ),
    [],
  );
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

export function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** A section of blocks separated by blank lines; empty without blocks. */
export function section<Part>(
  title: string,
  parts: readonly Part[],
  lines: (part: Part) => readonly string[],
): readonly string[] {
  if (parts.length === 0) return [];
  return ['', title, ...parts.flatMap((part) => ['', ...indent(lines(part))])];
}

const LIST_WIDTH = 90;

/** Wraps a list; single long items are not broken. */
export function wrap(list: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const [index, item] of list.entries()) {
    const written = index === list.length - 1 ? item : `${item},`;
    const last = lines.at(-1);
    const isRoomy = last !== undefined && last.length + 1 + written.length <= LIST_WIDTH;
    if (isRoomy) lines[lines.length - 1] = `${last} ${written}`;
    else lines.push(written);
  }
  return lines;
}

/** Texts of documents must not control a terminal. */
const CONTROL = /\p{Cc}/gu;

export function writeLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(CONTROL, '\u{FFFD}').trimEnd()}\n`).join('');
}

/** A number with its noun: `1 entity set`, `2 entity sets`. Irregular plurals are given. */
export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
