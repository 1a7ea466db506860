/** What V8's linear engine counts to. */
const COUNTED = 16;
/** What a count may be in all. */
const MAXIMUM = 256;

/** One character of a pattern in any spelling, or a class of them, and its count: `[a-z]{2,40}`. */
const PIECE =
  /(\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\](){}|])(?:\{(\d{1,5})(,?)(\d{0,5})\})?|./gs;

/** Escapes that say more than one character: what they end with cannot be told without the whole grammar. */
const AMBIGUOUS = /\\[\dck]/;

/**
 * Splits counts that the linear engine does not take into several that it does: `x{20}` is `x{16}x{4}`,
 * `x{0,20}` is `x{0,16}x{0,4}`. Undefined where a count is above 256 or cannot be split.
 */
export function splitCounts(pattern: string): string | undefined {
  if (AMBIGUOUS.test(pattern)) {
    return undefined;
  }
  const pieces = [...pattern.matchAll(PIECE)].map(([piece, atom = '', least, comma, most]) => {
    const [from, to] = [Number(least ?? 0), Number(most || least || 0)];
    const open = comma === ',' && most === '';
    return Math.max(from, to) <= COUNTED ? piece : repeat(atom, from, open ? undefined : to);
  });
  return pieces.includes(undefined) ? undefined : pieces.join('');
}

function repeat(atom: string, least: number, most: number | undefined): string | undefined {
  if (Math.max(least, most ?? 0) > MAXIMUM) {
    return undefined;
  }
  const rest =
    most === undefined
      ? `${atom}*`
      : portions(most - least)
          .map((count) => `${atom}{0,${count}}`)
          .join('');
  return portions(least)
    .map((count) => `${atom}{${count}}`)
    .concat(rest)
    .join('');
}

/** A number as a sum of numbers that the engine counts to. */
function portions(total: number): readonly number[] {
  const whole = Array<number>(Math.floor(total / COUNTED)).fill(COUNTED);
  return total % COUNTED === 0 ? whole : [...whole, total % COUNTED];
}
