/** The name of those that may be meant; undefined where it is one of them, or near to none. */
export function nearName(name: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  return all.includes(name) ? undefined : all.find((each) => isNear(name, each));
}

/** Whether two words differ in their case, or in one letter that is missing, added, changed or swapped. */
export function isNear(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x === y) return true;
  if (Math.abs(x.length - y.length) > 1) return false;
  const start = [...x].findIndex((letter, index) => letter !== y[index]);
  const from = start === -1 ? x.length : start;
  const rests = [
    [x.slice(from + 1), y.slice(from + 1)],
    [x.slice(from + 1), y.slice(from)],
    [x.slice(from), y.slice(from + 1)],
  ];
  const isSwapped =
    x[from] === y[from + 1] && x[from + 1] === y[from] && x.slice(from + 2) === y.slice(from + 2);
  return isSwapped || rests.some(([left, right]) => left === right);
}
