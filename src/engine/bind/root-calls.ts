import type { Callable, CallableImport } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { type BoundExpression, variableOf } from '../scope/bound-tree.ts';
import { notImplemented, type Scope } from '../scope/scope.ts';
import type { NameSegment } from '../tree/expression-tree.ts';
import { typeOfUse } from '../typing/model-type.ts';
import { isConstantCall } from './computed-parameters.ts';
import { dedupeRoot } from './dedupe-root.ts';
import { chooseOverload, isNamed, notCallable } from './function-overload.ts';

/** The import of an unbound function that expressions call by its qualified name; undefined where there is none. */
export function importOf({ name }: NameSegment, { model }: Scope): CallableImport | undefined {
  const found = model.callables.find((each) => each.binding === undefined && isNamed(each, name));
  return [...model.imports.values()].find(
    ({ kind, callable }) => kind === 'function' && callable === found?.name,
  );
}

/** The functions that the import stands for. */
export function overloadsOf({ callable }: CallableImport, { callables }: Model): readonly Callable[] {
  return callables.filter(
    ({ kind, name, binding }) => kind === 'function' && name === callable && binding === undefined,
  );
}

/** Binds the call of a function that is bound to nothing, whose result is the same for all rows. */
export function bindRootCall(segment: NameSegment, imported: CallableImport, scope: Scope): BoundExpression {
  const known = dedupeRoot(segment, scope);
  if (known !== undefined) return known.variable;
  const { model, aliases, roots } = scope;
  const { returns } = chooseOverload(overloadsOf(imported, model), segment, scope);
  if (!isConstantCall(segment, scope)) {
    throw notImplemented(scope, segment.position, 'a computed parameter behind $root');
  }
  if (returns === undefined || returns.type.name === 'Edm.Stream' || segment.key !== undefined) {
    throw notCallable(segment, scope);
  }
  const variable = variableOf(typeOfUse(returns), segment.position);
  roots.push({ read: { imported, segment, aliases }, variable });
  return variable;
}
