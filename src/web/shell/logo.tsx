/** Two gates, one behind the other. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path className="gate-one" d="M4 27V14a7 7 0 0 1 14 0v13" />
      <path className="gate-two" d="M14 27V14a7 7 0 0 1 14 0v13" />
    </svg>
  );
}
