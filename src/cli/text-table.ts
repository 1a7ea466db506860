/** Rows of cells, each column as wide as its widest cell. */
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

/** A section of blocks with a blank line before each; no lines where there are no blocks. */
export function section<Part>(
  title: string,
  parts: readonly Part[],
  lines: (part: Part) => readonly string[],
): readonly string[] {
  if (parts.length === 0) return [];
  return ['', title, ...parts.flatMap((part) => ['', ...indent(lines(part))])];
}

const LIST_WIDTH = 90;

/** A list in lines that are no longer than wanted, unless a single item is. */
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

/** What a document says must not steer a terminal. */
const CONTROL = /\p{Cc}/gu;

export function writeLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(CONTROL, '\u{FFFD}').trimEnd()}\n`).join('');
}

/** A number with what it counts: `1 entity set`, `2 entity sets`. The plural is given where it takes more than an `s`. */
export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
