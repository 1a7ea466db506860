import type { Chart, Line } from './draw-chart.ts';

/** The growth of costs with a quantity: measured in one run, and drawn in one or more charts. */
export interface Curve {
  /** The name for `npm run bench -- --curves`. */
  readonly name: string;
  /** The quantity that grows from point to point. */
  readonly x: string;
  readonly points: readonly number[];
  readonly charts: readonly ChartOfCurve[];
  /** Comes back with the figures at each point: one for each series of the charts, in their order. */
  readonly measure: (points: readonly number[]) => Promise<readonly Figures[]>;
}

export interface ChartOfCurve extends Omit<Chart, 'x' | 'lines'> {
  readonly series: readonly Series[];
}

export type Series = Omit<Line, 'points'>;

export type Figures = readonly number[];

/** Measures at one point after the other. */
export async function atEach(
  points: readonly number[],
  measure: (point: number) => Promise<Figures>,
): Promise<readonly Figures[]> {
  const measured: Figures[] = [];
  for (const point of points) measured.push(await measure(point));
  return measured;
}

/** The charts of a curve with what was measured at its points. */
export function chartsOf({ x, points, charts }: Curve, measured: readonly Figures[]): readonly Chart[] {
  let before = 0;
  return charts.map(({ name, title, y, series }) => {
    const first = before;
    before += series.length;
    const lines = series.map((each, index) => ({
      name: each.name,
      ...(each.isReference && { isReference: true }),
      points: points.map((point, at) => ({ x: point, y: measured[at]?.[first + index] ?? Number.NaN })),
    }));
    return { name, title, x, y, lines };
  });
}
