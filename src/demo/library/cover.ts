import type { Book } from './records.ts';

const COLOURS = ['#234e70', '#8a3033', '#3f6b3a', '#6b4a80', '#8a6a1f', '#2f6a6a'];

/** The picture that a book has unless another one is put in its place. */
export function drawCover({ ISBN, title }: Book): Buffer {
  const colour = COLOURS[Number(ISBN) % COLOURS.length];
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 180"><rect width="120" height="180" fill="${colour}"/>` +
      `<text x="60" y="80" fill="#fff" font-family="serif" font-size="9" text-anchor="middle">${escapeXml(title)}</text></svg>`,
  );
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`);
}
