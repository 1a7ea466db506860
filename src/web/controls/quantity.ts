/** Such as `1 error` and `1,200 errors`. */
export function quantity(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}
