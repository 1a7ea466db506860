import { createHash } from 'node:crypto';
import type { PageMark, PageStep } from './page-position.ts';

/**
 * Returns the marks of the pages that were read, for one more page: of the page itself, and of an earlier one. Undefined if the page was
 * read before, with fewer items before it. `isScroll`: its position leads to another page each time.
 */
export function marksAfter(
  marks: readonly PageMark[],
  { position, before }: PageStep,
  identity: string | undefined,
  isScroll: boolean,
): readonly PageMark[] | undefined {
  const [last, earlier = last] = marks;
  const isOnce = !isScroll && (position.kind === 'target' || 'value' in position);
  const page = {
    position: isOnce ? digestOf(JSON.stringify(position)) : undefined,
    identity: identity === undefined || position.kind === 'larger' ? undefined : digestOf(identity),
    before,
  };
  // The rest of a page is read by requesting the page once more.
  if (last?.before === before && isSame(last, page)) return marks;
  if ([last, earlier].some((mark) => mark !== undefined && isSame(mark, page))) return undefined;
  const isKept = earlier !== undefined && earlier.passed + 1 < earlier.span;
  const fresh: PageMark = { ...page, passed: 0, span: (earlier?.span ?? 1) * 2 };
  return [fresh, isKept ? { ...earlier, passed: earlier.passed + 1 } : fresh];
}

function isSame(mark: PageMark, page: Pick<PageMark, 'position' | 'identity'>): boolean {
  if (mark.position !== undefined && mark.position === page.position) return true;
  return mark.identity !== undefined && mark.identity === page.identity;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
