import { basename } from 'node:path';
import { DocumentMistake } from './document-mistake.ts';
import type { NamedText } from './file-text.ts';
import type { OpenApiDocument } from './openapi-version.ts';
import { applyOverlay } from './overlay/apply-overlay.ts';
import { readOverlay } from './overlay/overlay-document.ts';
import { OverlayMistake, placeFaults, unreadableOverlay } from './overlay/overlay-mistake.ts';
import { parseOpenApi } from './parse-openapi.ts';
import { parseText } from './parse-text.ts';
import { asWritten, type PlaceFinder } from './written-place.ts';

/** The texts that describe an API: a document, and what an overlay changes of it. */
export interface DescriptionTexts {
  readonly document: string;
  /** Undefined where the document did not come in a file. */
  readonly file?: string | undefined;
  readonly overlay?: NamedText | undefined;
}

/** An OpenAPI document as all parts of the gateway read it, with its overlay applied. */
export interface OpenApiDescription {
  readonly document: OpenApiDocument;
  /** Where it is written what a pointer into the document leads to. */
  readonly placeOf: PlaceFinder;
  /** Whether the document is read just as its text has it. */
  readonly isAsWritten: boolean;
  /** The name of the overlay's file; undefined where there is none. */
  readonly overlay: string | undefined;
}

/**
 * Reads an OpenAPI description: the one place where a text becomes a document.
 *
 * Throws a {@link DocumentMistake} where the text is no OpenAPI document, an {@link OverlayMistake} where the
 * overlay is none or does not fit.
 */
export function readDescription({ document: text, file, overlay }: DescriptionTexts): OpenApiDescription {
  const document = parseOpenApi(text);
  if (overlay === undefined) return { document, placeOf: asWritten, isAsWritten: true, overlay: undefined };
  const overlaid = withOverlay(document, file && basename(file), overlay);
  return {
    document: overlaid.document,
    placeOf: overlaid.placeOf,
    isAsWritten: false,
    overlay: overlay.file,
  };
}

function withOverlay(
  document: OpenApiDocument,
  documentName: string | undefined,
  { file, text }: NamedText,
): Pick<OpenApiDescription, 'document' | 'placeOf'> {
  const reading = readOverlay(parseOverlay(file, text), documentName);
  if (reading.kind === 'faults') throw new OverlayMistake(file, placeFaults(text, reading.faults));
  const overlaying = applyOverlay(document, reading.actions);
  if (overlaying.kind === 'faults') throw new OverlayMistake(file, placeFaults(text, overlaying.faults));
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
