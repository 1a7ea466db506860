import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { isA, withDerivedTypes } from '../../model/edm.ts';
import { collectionOf, isCollection, itemType } from '../typing/expression-type.ts';
import { type ModelType, qualifiedName, structuredType } from '../typing/model-type.ts';
import type { BoundExpression } from './bound-tree.ts';
import { call } from './call.ts';
import { badRequest, quote, type Scope } from './scope.ts';

/**
 * A type cast segment (Part 2, 4.11): a value that is not of the type is null, items that are not are left
 * out. The type must be the declared one, derived from it, or its base.
 */
export function castStructured(
  owner: BoundExpression,
  name: string,
  scope: Scope,
  position: number,
): BoundExpression {
  const { model } = scope;
  const declared = structuredType(model, itemType(owner.type));
  const target = structuredType(model, name);
  const isUp = declared !== undefined && target !== undefined && isA(declared, target);
  if (isUp) return owner;
  if (declared === undefined || target === undefined || !isA(target, declared)) {
    const expected =
      declared === undefined ? `nothing behind ${owner.type}` : `a type derived from ${owner.type}`;
    throw badRequest(scope, position, `expected ${expected}, found ${quote(name)}`);
  }
  const isOfType = typeTest(declared, target);
  const type = qualifiedName(target);
  return isCollection(owner.type)
    ? call('cast', collectionOf(type), position, [owner], (items: readonly Value[]) =>
        items.filter((item) => item !== null && isOfType(item as Row)),
      )
    : call('cast', type, position, [owner], (value: Row) => (isOfType(value) ? value : null));
}

/** Whether a value that is declared as one type is of another: a value names its type where it is derived. */
export function typeTest(declared: ModelType, target: ModelType): (value: Row) => boolean {
  const isDeclared = isA(declared, target);
  const names = new Set(withDerivedTypes(target).map(({ name }) => name));
  return (value) => {
    const type = value[TYPE];
    return type === undefined ? isDeclared : names.has(type);
  };
}
