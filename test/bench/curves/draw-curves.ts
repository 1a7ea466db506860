import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartsOf } from './curve.ts';
import { CURVES } from './curves.ts';
import { type Chart, drawChart } from './draw-chart.ts';

const PICTURES = fileURLToPath(new URL('../../../docs/curves', import.meta.url));

/** Measures the curves that are named, or all, and draws them for docs/performance.md; prints the figures, too. */
export async function drawCurves(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !CURVES.some((curve) => curve.name === name));
  if (unknown.length > 0) {
    const known = CURVES.map(({ name }) => name).join(', ');
    throw new Error(`Expected names of curves (${known}), found ${unknown.join(', ')}.`);
  }
  mkdirSync(PICTURES, { recursive: true });
  for (const curve of CURVES) {
    if (names.length > 0 && !names.includes(curve.name)) continue;
    for (const chart of chartsOf(curve, await curve.measure(curve.points))) {
      print(chart);
      writeFileSync(join(PICTURES, `${chart.name}.svg`), drawChart(chart, machine()));
    }
  }
}

function print({ title, x, y, lines }: Chart): void {
  console.log(`${title}: ${y}`);
  const places = new Set(lines.flatMap(({ points }) => points.map((point) => point.x)));
  console.table(
    [...places].map((place) => ({
      [x]: place,
      ...Object.fromEntries(
        lines.map(({ name, points }) => [
          name,
          Number(points.find((point) => point.x === place)?.y.toPrecision(3)),
        ]),
      ),
    })),
  );
}

function machine(): string {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${platform()}, Node ${process.versions.node}`;
}
