/** What is left of a request target without a query parameter, and the first value that it had. */
export interface TakenParameter {
  readonly target: string;
  readonly value: string;
}

/** Takes a parameter out of a target's query, however its name is written; undefined where it is not there. */
export function takeParameter(target: string, name: string): TakenParameter | undefined {
  const mark = target.indexOf('?');
  if (mark < 0) return undefined;
  const parameters = target.slice(mark + 1).split('&');
  const others = parameters.filter((parameter) => nameOf(parameter) !== name);
  if (others.length === parameters.length) return undefined;
  const given = parameters.find((parameter) => nameOf(parameter) === name) ?? '';
  return {
    target: `${target.slice(0, mark)}${others.length === 0 ? '' : `?${others.join('&')}`}`,
    value: decode(given.slice(given.indexOf('=') + 1)),
  };
}

function nameOf(parameter: string): string {
  return decode(parameter.split('=', 1)[0] ?? '');
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
