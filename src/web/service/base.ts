/** The path at which the gateway is reached, with a slash at both ends: the page's `<base>`. */
export const BASE_PATH = new URL(document.baseURI).pathname;

/** An address of the gateway's from a path without a slash in front, such as `odata/$metadata`. */
export function gatewayUrl(path: string): string {
  return BASE_PATH + path;
}

/** The address below the OData service of a path such as `/Post('1')`. */
export function dataUrl(path: string): string {
  return gatewayUrl(`odata${path}`);
}
