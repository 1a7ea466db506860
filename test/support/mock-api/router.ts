import type { Operation } from './api-document.ts';
import type { GivenValues } from './mock-resources.ts';

export interface Route {
  readonly operation: Operation;
  readonly values: GivenValues;
}

/** Finds the operation of a request; where several paths fit, the one with the most literal text. */
export function createRouter(
  operations: readonly Operation[],
): (method: string, path: string) => Route | undefined {
  const routes = operations
    .map((operation) => ({ operation, ...expressionOf(operation.path) }))
    .sort((a, b) => b.literal - a.literal);
  return (method, path) => {
    for (const { operation, expression, names } of routes) {
      const match = operation.method === method ? expression.exec(path) : null;
      if (match === null) continue;
      const values = names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')] as const);
      return { operation, values: Object.fromEntries(values) };
    }
    return undefined;
  };
}

interface PathExpression {
  readonly expression: RegExp;
  readonly names: readonly string[];
  /** Characters that are no parameter's. */
  readonly literal: number;
}

function expressionOf(path: string): PathExpression {
  const [template = ''] = path.split(/[?#]/);
  const parts = template.split(/\{([^{}]+)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0);
  const expression = new RegExp(`^${literals.map(escaped).join('([^/]+)')}$`);
  return {
    expression,
    names: parts.filter((_, index) => index % 2 === 1),
    literal: literals.join('').length,
  };
}

function escaped(literal: string): string {
  return literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
