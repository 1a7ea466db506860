/** Where one came from, if that is a page here; never the address of another site. */
export function returnAddress(parameters: URLSearchParams): string {
  const address = parameters.get('return') ?? '/';
  return /^\/(?![/\\])/.test(address) ? address : '/';
}
