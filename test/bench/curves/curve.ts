/** How a cost grows with something: measured in one run, and drawn in one picture or several. */
export interface Curve {
  /** What `npm run bench -- --curves` calls it. */
  readonly name: string;
  /** Takes two minutes at most. */
  readonly measure: () => Promise<readonly Chart[]>;
}

/** One picture: lines over two logarithmic axes. */
export interface Chart {
  /** Of the picture's file, without its extension. */
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly name: string;
  /** What the gateway is held against is drawn as such. */
  readonly isReference?: boolean;
  readonly points: readonly Point[];
}

/** Both are above 0. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Makes lines of what was measured at each place of the x axis: one figure for each line, in their order. */
export function linesOf(
  lines: readonly Omit<Line, 'points'>[],
  measured: ReadonlyMap<number, readonly number[]>,
): readonly Line[] {
  return lines.map((line, index) => ({
    ...line,
    points: [...measured].map(([x, figures]) => ({ x, y: figures[index] ?? Number.NaN })),
  }));
}
