/**
 * The methods of a Path Item Object's operations (OpenAPI 3.1, 4.8.9) that requests may have here. TRACE is not among
 * them: its answer would show what the gateway sends.
 */
export const REQUEST_METHODS: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
]);

/** All methods that a Path Item Object has operations for (OpenAPI 3.1, 4.8.9). */
export const PATH_ITEM_METHODS: ReadonlySet<string> = new Set([...REQUEST_METHODS, 'trace']);
