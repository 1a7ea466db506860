import {
  type DeclaredType,
  describeDeclared,
  isTypeControl,
  mayBeNamed,
  memberOfTypeControl,
} from '../typing/expression-type.ts';
import { type InputObject, type Mistakes, pathTo, quote } from './mistakes.ts';

/**
 * Reports control information with a type that differs from the member's declared one (JSON Format, 4.6.3).
 * Undeclared members may have any type.
 */
export function checkTypeControls(
  object: InputObject,
  declaredAs: (name: string) => DeclaredType | undefined,
  path: string,
  mistakes: Mistakes,
): void {
  for (const [member, reference] of Object.entries(object)) {
    const name = memberOfTypeControl(member);
    const declared = name === undefined ? undefined : declaredAs(name);
    if (declared !== undefined) checkReference(declared, reference, pathTo(path, member), mistakes);
  }
}

/** Reports an object with a type that differs from the declared one. */
export function checkOwnType(
  object: InputObject,
  declared: DeclaredType,
  path: string,
  mistakes: Mistakes,
): void {
  for (const [member, reference] of Object.entries(object)) {
    if (isTypeControl(member)) checkReference(declared, reference, pathTo(path, member), mistakes);
  }
}

function checkReference(declared: DeclaredType, reference: unknown, path: string, mistakes: Mistakes): void {
  if (mayBeNamed(declared, reference)) return;
  mistakes.add(
    path,
    describeDeclared(declared),
    typeof reference === 'string' ? quote(reference) : 'no name',
  );
}
