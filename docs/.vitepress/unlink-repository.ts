import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Whether a link leads to a page that is read beside the sources alone, or out of docs. That there is something is for
 * `test/docs/links.test.ts`: where the image is built, the rest of the repository is missing.
 */
function isInRepositoryAlone(href: string, page: string): boolean {
  if (/^([a-z]+:|#|\/)/i.test(href)) return false;
  const path = posix.join(posix.dirname(page), href.replace(/#.*$/, ''));
  return /^(\.\.\/|architecture\.md|testing\.md|decisions\/)/.test(path);
}

/** Shows links into the repository as what they say: the site has the pages of docs and nothing else. */
export function unlinkRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('unlink-repository', ({ tokens, env }) => {
    for (const { children } of tokens) {
      if (children === null) continue;
      let isUnlinked = false;
      const kept = children.filter((token) => {
        if (token.type === 'link_open') {
          isUnlinked = isInRepositoryAlone(token.attrGet('href') ?? '', env.relativePath);
          return !isUnlinked;
        }
        return token.type !== 'link_close' || !isUnlinked;
      });
      children.splice(0, children.length, ...kept);
    }
  });
}
