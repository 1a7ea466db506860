import { basename } from 'node:path';
import { asWritten, type PlaceFinder } from './document/written-place.ts';
import { applyOverlay } from './overlay/apply-overlay.ts';
import { OverlayMistake, placeFaults, readOverlay, unreadableOverlay } from './overlay/overlay-document.ts';
import { DocumentMistake } from './parse/document-mistake.ts';
import type { NamedText } from './parse/file-text.ts';
import type { OpenApiDocument } from './parse/openapi-version.ts';
import { assertVersion, parseOpenApi } from './parse/parse-openapi.ts';
import { parseText } from './parse/parse-text.ts';
import { convertSwagger, isSwagger, swaggerPointer } from './swagger/convert-swagger.ts';

/** The texts that describe an API: a document, and what an overlay changes of it. */
export interface DescriptionTexts {
  readonly document: string;
  /** Undefined where the document did not come in a file. */
  readonly file?: string | undefined;
  readonly overlay?: NamedText | undefined;
}

/** A document, and where its parts are written. */
export interface PlacedDocument {
  readonly document: OpenApiDocument;
  /** Where it is written what a pointer into the document leads to. */
  readonly placeOf: PlaceFinder;
}

/** An OpenAPI document as all parts of the gateway read it: with its overlay applied, and of version 3. */
export interface OpenApiDescription extends PlacedDocument {
  /** The document before it was converted; the same one where it was not. */
  readonly original: PlacedDocument;
  /** The name of the overlay's file; undefined where there is none. */
  readonly overlay: string | undefined;
}

/**
 * Reads an OpenAPI description: the one place where a text becomes a document.
 *
 * Throws a {@link DocumentMistake} where the text is no OpenAPI document, an {@link OverlayMistake} where the
 * overlay is none or does not fit. An overlay is for the document as it is written: one of Swagger 2.0 is converted
 * after it.
 */
export function readDescription({ document: text, file, overlay }: DescriptionTexts): OpenApiDescription {
  const document = parseOpenApi(text);
  const original =
    overlay === undefined
      ? { document, placeOf: asWritten }
      : withOverlay(document, file && basename(file), overlay);
  return { ...asVersion3(original), original, overlay: overlay?.file };
}

/** The document with an overlay that is no file's; undefined where that does not fit. */
export function overlayDescription(
  { document }: PlacedDocument,
  overlay: unknown,
): OpenApiDocument | undefined {
  const reading = readOverlay(overlay, undefined);
  if (reading.kind === 'faults') return undefined;
  const overlaying = applyOverlay(document, reading.actions);
  return overlaying.kind === 'faults' ? undefined : asVersion3(overlaying).document;
}

function asVersion3(original: PlacedDocument): PlacedDocument {
  const { document, placeOf } = original;
  if (!isSwagger(document)) return original;
  return {
    document: convertSwagger(document),
    placeOf: (pointer) => placeOf(swaggerPointer(document, pointer)),
  };
}

function withOverlay(
  document: OpenApiDocument,
  documentName: string | undefined,
  { file, text }: NamedText,
): PlacedDocument {
  const reading = readOverlay(parseOverlay(file, text), documentName);
  if (reading.kind === 'faults') throw new OverlayMistake(file, placeFaults(text, reading.faults));
  const overlaying = applyOverlay(document, reading.actions);
  if (overlaying.kind === 'faults') throw new OverlayMistake(file, placeFaults(text, overlaying.faults));
  assertVersion(overlaying.document);
  return overlaying;
}

function parseOverlay(file: string, text: string): unknown {
  try {
    return parseText(text);
  } catch (error) {
    if (!(error instanceof DocumentMistake)) throw error;
    throw unreadableOverlay(file, error);
  }
}
