/** Such as `1 entity set` and `2 entity sets`; the plural is given where it has not just an `s`. */
export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
