import { createHash } from 'node:crypto';
import type { PageMark, PageStep } from './page-position.ts';

/** The mark after one more page; `again` where the page has been read before, with fewer items before it. */
export function markAfter(
  mark: PageMark | undefined,
  { position, before }: PageStep,
): PageMark | 'again' | undefined {
  // Pages and offsets are numbers that grow.
  if (position.kind === 'first' || position.kind === 'page' || position.kind === 'offset') return mark;
  const digest = createHash('sha256').update(JSON.stringify(position)).digest('base64url').slice(0, 16);
  // What is left of a page is read by asking for the page once more.
  if (mark?.digest === digest) return mark.before === before ? mark : 'again';
  if (mark !== undefined && mark.passed + 1 < mark.span) return { ...mark, passed: mark.passed + 1 };
  return { digest, before, passed: 0, span: (mark?.span ?? 1) * 2 };
}
