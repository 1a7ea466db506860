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
  /** True for a series that the gateway is compared with. */
  readonly isReference?: boolean;
  readonly points: readonly Point[];
}

/** Both are above 0. */
interface Point {
  readonly x: number;
  readonly y: number;
}

const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 76;
const RIGHT = 560;
const TOP = 48;
const BOTTOM = 340;
const LABEL_HEIGHT = 17;
/** An axis of less than two powers of ten has more than these for marks. */
const FEW_DECADES = 2;

/** Distinguishable for colour-blind readers, on the chart's light background in any theme. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#aa3377', '#946c00', '#56479b'];
const REFERENCE_COLOUR = '#6b7280';

interface Axis {
  readonly marks: readonly number[];
  readonly at: (value: number) => number;
}

/** The chart as SVG. It brings its own ground and no style sheet, so that it is the same wherever it is shown. */
export function drawChart({ title, x, y, lines }: Chart, caption: string): string {
  const points = lines.flatMap((line) => line.points);
  const across = axisOver(
    points.map((point) => point.x),
    LEFT,
    RIGHT,
  );
  const up = axisOver(
    points.map((point) => point.y),
    BOTTOM,
    TOP,
  );
  const grid = [
    ...across.marks.map((mark) => gridLine(across.at(mark), TOP, across.at(mark), BOTTOM)),
    ...up.marks.map((mark) => gridLine(LEFT, up.at(mark), RIGHT, up.at(mark))),
    ...across.marks.map((mark) => text(across.at(mark), BOTTOM + 20, number(mark), 'middle')),
    ...up.marks.map((mark) => text(LEFT - 8, up.at(mark) + 4, number(mark), 'end')),
  ];
  const words = [
    `<text x="${LEFT}" y="24" font-size="16" font-weight="600" fill="#111827">${escaped(title)}</text>`,
    text(LEFT - 8, TOP - 10, y, 'start'),
    text((LEFT + RIGHT) / 2, BOTTOM + 42, x, 'middle'),
    text(LEFT, HEIGHT - 14, caption, 'start'),
  ];
  const drawn = coloured(lines).map(({ line, colour }) => drawLine(line, colour, across, up));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12">`;
  const ground = `<title>${escaped(title)}</title>\n<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#fbfbfa"/>`;
  return `${[svg, ground, ...grid, ...words, ...drawn, ...labels(lines, up), '</svg>'].join('\n')}\n`;
}

/** From the power of ten at or below all values to the one above them; a short axis ends at the next 2 or 5. */
function axisOver(values: readonly number[], from: number, to: number): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const steps = Math.log10(most / least) < FEW_DECADES ? [1, 2, 5] : [1];
  const first = Math.floor(Math.log10(least));
  const all = Array.from({ length: Math.ceil(Math.log10(most)) - first + 2 }, (_, index) => first + index);
  const candidates = all.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  const start = candidates.findLastIndex((mark) => mark <= least);
  const end = candidates.findIndex((mark) => mark >= most && mark > least);
  const marks = candidates.slice(start, end + 1);
  const [low = 1, high = 10] = [marks[0], marks.at(-1)].map((mark) => Math.log10(mark ?? 1));
  return { marks, at: (value) => round(from + ((Math.log10(value) - low) / (high - low)) * (to - from)) };
}

function coloured(lines: readonly Line[]): readonly { readonly line: Line; readonly colour: string }[] {
  const own = lines.filter(({ isReference }) => isReference !== true);
  return lines.map((line) => {
    const colour = line.isReference ? REFERENCE_COLOUR : COLOURS[own.indexOf(line) % COLOURS.length];
    return { line, colour: colour ?? REFERENCE_COLOUR };
  });
}

function drawLine({ points, isReference }: Line, colour: string, across: Axis, up: Axis): string {
  const place = (point: Point) => [across.at(point.x), up.at(point.y)] as const;
  const path = points.map((point) => place(point).join(',')).join(' ');
  const dashes = isReference ? ' stroke-dasharray="5 4"' : '';
  const line = `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`;
  const dots = points.map(place).map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`);
  return [line, ...dots].join('');
}

/** Each line's name stands beside its end, those of near ends below one another. */
function labels(lines: readonly Line[], up: Axis): readonly string[] {
  const ends = coloured(lines)
    .map(({ line, colour }) => ({ line, colour, at: up.at(line.points.at(-1)?.y ?? 1) + 4 }))
    .toSorted((one, other) => one.at - other.at);
  let free = TOP;
  const places = ends.map(({ at }) => {
    const place = Math.max(at, free);
    free = place + LABEL_HEIGHT;
    return place;
  });
  const beyond = Math.max(0, free - LABEL_HEIGHT - BOTTOM);
  return ends.map(
    ({ line, colour }, index) =>
      `<text x="${RIGHT + 12}" y="${round((places[index] ?? 0) - beyond)}" fill="${colour}">${escaped(line.name)}</text>`,
  );
}

function gridLine(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#e2e4e8"/>`;
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${round(y)}" text-anchor="${anchor}" fill="#374151">${escaped(words)}</text>`;
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
