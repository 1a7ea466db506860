interface MomentProps {
  /** A date and time in ISO 8601. */
  readonly at: string;
}

/** A date and time as they are written where the reader is. */
export function Moment({ at }: MomentProps) {
  return (
    <time dateTime={at}>{new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })}</time>
  );
}

/** The date of a moment; its time is shown to whoever points at it. */
export function Day({ at }: MomentProps) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={moment.toLocaleString()}>
      {moment.toLocaleDateString([], { dateStyle: 'medium' })}
    </time>
  );
}
