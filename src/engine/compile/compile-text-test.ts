import type { BoundCall } from '../scope/bound-tree.ts';
import type { Predicate } from './evaluator.ts';

/**
 * contains, startswith or endswith of a property and a constant, which are the commonest filters, as one
 * function; undefined for everything else.
 */
export function compileTextTest(node: BoundCall): Predicate | undefined {
  const [property, part] = node.arguments;
  return property?.kind === 'property' && part?.kind === 'constant' && typeof part.value === 'string'
    ? TESTS.get(node.name)?.(property.name, part.value)
    : undefined;
}

const TESTS: ReadonlyMap<string, (name: string, part: string) => Predicate> = new Map([
  ['contains', contains],
  ['startswith', startsWith],
  ['endswith', endsWith],
]);

function contains(name: string, part: string): Predicate {
  return (row) => {
    const text = row[name];
    return typeof text === 'string' && text.includes(part);
  };
}

function startsWith(name: string, part: string): Predicate {
  return (row) => {
    const text = row[name];
    return typeof text === 'string' && text.startsWith(part);
  };
}

function endsWith(name: string, part: string): Predicate {
  return (row) => {
    const text = row[name];
    return typeof text === 'string' && text.endsWith(part);
  };
}
