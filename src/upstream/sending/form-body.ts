import { randomUUID } from 'node:crypto';
import { scalarText } from '../../contract/row.ts';
import { isObject } from '../../core/json-object.ts';
import type { FormMember, SentForm } from '../../model/operation.ts';

/** A body as it is sent, and its media type. */
export interface WrittenBody {
  readonly body: Uint8Array;
  readonly mediaType: string;
}

/**
 * The treatment of null and of empty lists and objects, for which forms have no notation: the member is left out, or is
 * sent without a value, by which form APIs clear it.
 */
export type EmptyMembers = 'omitted' | 'cleared';

/** One field of a form. */
interface FormField {
  readonly name: string;
  /** More than one are joined by the delimiter, which is not escaped. */
  readonly texts: readonly string[];
  readonly delimiter?: Delimiter;
  readonly allowReserved?: boolean;
  /** Undefined for a text. */
  readonly contentType?: string | undefined;
  /** The bytes of a file, in the place of texts. */
  readonly file?: Uint8Array;
}

/** Writes an object, with the upstream's names and values, as a form. */
export function formBody(form: SentForm, sent: object, empty: EmptyMembers): WrittenBody {
  const fields = Object.entries(sent).flatMap(([name, value]) => [
    ...memberFields(name, value, form.members.get(name) ?? PLAIN, empty),
  ]);
  if (form.kind === 'urlencoded') {
    return { body: Buffer.from(fields.map(urlEncoded).join('&')), mediaType: form.mediaType };
  }
  return multipart(fields);
}

const PLAIN: FormMember = { explode: true, allowReserved: false, isFile: false };

function* memberFields(
  name: string,
  value: unknown,
  member: FormMember,
  empty: EmptyMembers,
): Generator<FormField> {
  const { style, explode, allowReserved, contentType } = member;
  if (isEmpty(value)) {
    if (empty === 'cleared') yield { name, texts: [''] };
  } else if (member.isFile) {
    for (const item of listOf(value)) {
      yield { name, texts: [], file: Buffer.from(String(item), 'base64'), contentType: contentType ?? BYTES };
    }
  } else if (style === undefined) {
    for (const item of listOf(value)) yield { name, ...contentOf(item, contentType) };
  } else if (style === 'deepObject') {
    yield* deepFields(name, value, allowReserved, empty);
  } else if (isMembers(value) && explode) {
    for (const [inner, item] of Object.entries(value)) {
      yield* memberFields(inner, item, { ...member, explode: true }, empty);
    }
  } else if (Array.isArray(value) && explode) {
    for (const item of value) yield { name, texts: [textOf(item)], allowReserved };
  } else {
    const values = isMembers(value) ? Object.entries(value).flat() : listOf(value);
    yield { name, texts: values.map(textOf), delimiter: DELIMITERS[style], allowReserved };
  }
}

/** Brackets within brackets: `items[0][price]`. OpenAPI defines one level of them (3.1.1, 4.8.12.4); servers read all. */
function* deepFields(
  name: string,
  value: unknown,
  allowReserved: boolean,
  empty: EmptyMembers,
): Generator<FormField> {
  if (isEmpty(value)) {
    if (empty === 'cleared') yield { name, texts: [''] };
  } else if (Array.isArray(value) || isMembers(value)) {
    for (const [inner, item] of Object.entries(value)) {
      yield* deepFields(`${name}[${inner}]`, item, allowReserved, empty);
    }
  } else yield { name, texts: [textOf(value)], allowReserved };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return Array.isArray(value) ? value.length === 0 : isMembers(value) && Object.keys(value).length === 0;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && scalarText(value) === undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

const JSON_TYPE = /^[\w.-]+\/(?:[\w.+-]+\+)?json\b/i;

/** Scalars are text, and all else is JSON, unless a media type is declared (OpenAPI 3.1.1, 4.8.15.1.1). */
function contentOf(value: unknown, declared: string | undefined): Pick<FormField, 'texts' | 'contentType'> {
  const isScalar = !Array.isArray(value) && !isMembers(value);
  if (isScalar && (declared === undefined || !JSON_TYPE.test(declared))) {
    return { texts: [textOf(value)], contentType: declared };
  }
  return { texts: [JSON.stringify(value)], contentType: declared ?? 'application/json' };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const BYTES = 'application/octet-stream';

type Delimiter = ',' | ' ' | '|';

const DELIMITERS = { form: ',', spaceDelimited: ' ', pipeDelimited: '|' } as const;

/** OpenAPI 3.1.1, 4.8.12.4, writes them so. */
const ENCODED_DELIMITERS: Readonly<Record<Delimiter, string>> = { ',': ',', ' ': '%20', '|': '%7C' };

function urlEncoded({ name, texts, delimiter = ',', allowReserved = false }: FormField): string {
  const values = texts.map((text) => (allowReserved ? withReserved(formText(text)) : formText(text)));
  return `${formText(name)}=${values.join(ENCODED_DELIMITERS[delimiter])}`;
}

/** RFC 1866, 8.2.1. */
function formText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Leaves reserved characters (RFC 3986, 2.2) as they are, except those that would end the value or be decoded. */
function withReserved(encoded: string): string {
  return encoded.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2C|3B|3D)/g, decodeURIComponent);
}

/** RFC 7578. */
function multipart(fields: readonly FormField[]): WrittenBody {
  const boundary = `duogate-${randomUUID()}`;
  const parts = fields.flatMap(({ name, texts, delimiter = ',', contentType, file }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${partName(name)}"`,
    file === undefined ? '' : `; filename="${partName(name)}"`,
    contentType === undefined ? '\r\n\r\n' : `\r\nContent-Type: ${contentType}\r\n\r\n`,
    file ?? texts.join(delimiter),
    '\r\n',
  ]);
  const pieces = [...parts, `--${boundary}--\r\n`];
  return {
    body: Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
    mediaType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Escapes the characters that would end the name, as browsers do (HTML, 4.10.21.8). */
function partName(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
