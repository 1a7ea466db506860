export type Pick = (words: readonly string[]) => string;

/** A linear congruential generator (constants of Numerical Recipes), which suffices for sample texts. */
export function picker(seed: number): Pick {
  let state = seed;
  return (words) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return words[Math.floor((state / 2 ** 32) * words.length)] ?? '';
  };
}
