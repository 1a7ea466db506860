/** What XML has no character for, or reads as another one; and what a spreadsheet program would take for an escape. */
const SPECIAL = /[&<>"\p{Cc}\uFFFE\uFFFF]|_(?=x[\dA-F]{4}_)/giu;

/** XML has these, and LibreOffice knows no escape for them. */
const LATER_CONTROLS = /[\u007F-\u009F]/;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const HEX = 16;
const HEX_DIGITS = 4;

/** A text in the XML of a sheet: characters that XML does not have are `_x0007_` (ECMA-376 Part 1, 22.9.2.19). */
export function sheetText(text: string): string {
  return text.toWellFormed().replace(SPECIAL, escaped);
}

function escaped(character: string): string {
  if (character === '\t' || character === '\n' || LATER_CONTROLS.test(character)) return character;
  const markup = MARKUP[character];
  if (markup !== undefined) return markup;
  return `_x${character.charCodeAt(0).toString(HEX).toUpperCase().padStart(HEX_DIGITS, '0')}_`;
}

const LONGEST_NAME = 31;

/** The name of a sheet for a list of that name: Excel opens no others. */
export function sheetName(name: string): string {
  const allowed = name
    .replace(/[[\]:*?/\\\p{Cc}]/gu, '_')
    .slice(0, LONGEST_NAME)
    .replace(/^'|'$/g, '_')
    .replace(/[\uD800-\uDBFF]$/, '');
  // Excel keeps this name for itself.
  return allowed === '' || /^history$/i.test(allowed) ? `${allowed}_` : allowed;
}
