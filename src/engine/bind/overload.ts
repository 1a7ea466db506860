import type { Callable } from '../../model/edm.ts';

/** The overload that has the parameters which are given, and needs no others (CSDL 4.01, 12.2). */
export function fittingOverload(
  overloads: readonly Callable[],
  given: readonly string[],
): Callable | undefined {
  return overloads.find(
    ({ parameters }) =>
      given.every((name) => parameters.some((parameter) => parameter.name === name)) &&
      parameters.every(({ name, optional }) => optional || given.includes(name)),
  );
}
