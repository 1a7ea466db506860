/** How much a URL may ask for. Everything is counted while it is parsed, and before any recursion. */
export interface UrlLimits {
  /** Characters of the raw request target. */
  readonly length: number;
  /** Expressions and path segments in one query option, or segments in the path. Literals in a list do not count. */
  readonly nodes: number;
  /** Parentheses, function calls, unary operators, lists and nested options inside each other. */
  readonly depth: number;
  /** `$expand` in `$expand`, and the number in `$levels`. */
  readonly expandDepth: number;
  /** `any` and `all` inside each other. */
  readonly lambdaDepth: number;
  readonly orderByItems: number;
}

export const DEFAULT_URL_LIMITS: UrlLimits = {
  length: 8192,
  nodes: 100,
  depth: 30,
  expandDepth: 4,
  lambdaDepth: 3,
  orderByItems: 5,
};
