import type { Callable } from '../../model/edm.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { NameSegment } from '../tree/expression-tree.ts';
import { qualifiedName } from '../typing/model-type.ts';
import { fittingOverload } from './overload.ts';

/** Chooses the overload that has the parameters which are given (CSDL 4.01, 12.2). */
export function chooseOverload(overloads: readonly Callable[], segment: NameSegment, scope: Scope): Callable {
  const [first] = overloads;
  if (first === undefined) throw notCallable(segment, scope);
  const given = (segment.arguments ?? []).map(({ name }) => name ?? '');
  const fitting = fittingOverload(overloads, given);
  if (fitting === undefined) throw wrongParameters(first, given, segment, scope);
  return fitting;
}

function wrongParameters(
  { parameters }: Callable,
  given: readonly string[],
  { name, position }: NameSegment,
  scope: Scope,
): Error {
  const expected = parameters
    .map((parameter) => `${parameter.name}${parameter.optional ? '?' : ''}`)
    .join(', ');
  const found = given.length === 0 ? 'none' : given.join(', ');
  return badRequest(scope, position, `${quote(name)} expects the parameters (${expected}), found ${found}`);
}

export function isNamed(callable: Callable, name: string): boolean {
  return callable.kind === 'function' && (callable.name === name || qualifiedName(callable) === name);
}

export function notCallable({ name, position }: NameSegment, scope: Scope): Error {
  return notImplemented(scope, position, `the function ${quote(name)} in an expression`);
}
