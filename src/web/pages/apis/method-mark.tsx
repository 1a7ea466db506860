/** The method of an operation, such as `GET`. */
export function MethodMark({ method }: { readonly method: string }) {
  const looks = method === 'GET' ? 'view' : method === 'DELETE' ? 'wrong' : '';
  return <span className={`mark method ${looks}`}>{method}</span>;
}
