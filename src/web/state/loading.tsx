const ROWS = Array.from({ length: 8 }, (_, row) => `row-${row}`);

/** Placeholder for a list. */
export function LoadingRows() {
  return (
    <div className="items loading" role="status">
      <span className="visually-hidden">Loading …</span>
      {ROWS.map((row) => (
        <div className="item" key={row}>
          <span className="bone" />
        </div>
      ))}
    </div>
  );
}

/** Placeholder for a form. */
export function LoadingFields({ count }: { readonly count: number }) {
  return (
    <div className="form card loading" role="status">
      <span className="visually-hidden">Loading …</span>
      {Array.from({ length: count }, (_, field) => `field-${field}`).map((field) => (
        <div className="field" key={field}>
          <span className="bone short" />
          <span className="bone tall" />
        </div>
      ))}
    </div>
  );
}
