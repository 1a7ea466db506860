/**
 * The supported methods of a Path Item Object (OpenAPI 3.1, 4.8.9). TRACE is excluded, because its response
 * would reveal the gateway's request.
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

/** All methods of a Path Item Object (OpenAPI 3.1, 4.8.9). */
export const PATH_ITEM_METHODS: ReadonlySet<string> = new Set([...REQUEST_METHODS, 'trace']);
