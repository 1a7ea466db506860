import { basename } from 'node:path';
import { asWritten, type PlaceFinder } from './document/written-place.ts';
import { bundleFiles } from './files/bundle-files.ts';
import type { ReferencedFiles } from './files/referenced-files.ts';
import { applyOverlay } from './overlay/apply-overlay.ts';
import { OverlayMistake, placeFaults, readOverlay, unreadableOverlay } from './overlay/overlay-document.ts';
import { DocumentMistake } from './parse/document-mistake.ts';
import type { NamedText } from './parse/file-text.ts';
import type { OpenApiDocument } from './parse/openapi-version.ts';
import { assertVersion, parseOpenApi } from './parse/parse-openapi.ts';
import { parseText } from './parse/parse-text.ts';
import { convertSwagger, isSwagger, swaggerPointer } from './swagger/convert-swagger.ts';

/** The texts of an API description: a document and its overlay. */
export interface DescriptionTexts {
  readonly document: string;
  /** Undefined if the document is not from a file. */
  readonly file?: string | undefined;
  readonly overlay?: NamedText | undefined;
  /** The files that the document refers to, and why others are not read. */
  readonly referenced?: ReferencedFiles | undefined;
}

/** A document with the source positions of its parts. */
export interface PlacedDocument {
  readonly document: OpenApiDocument;
  /** Finds the source position of a pointer into the document. */
  readonly placeOf: PlaceFinder;
}

/** An OpenAPI document in the form for all parts of the gateway: version 3 with its overlay applied. */
export interface OpenApiDescription extends PlacedDocument {
  /** The document before conversion; the same object if it was not converted. */
  readonly original: PlacedDocument;
  /** The name of the overlay's file, if any. */
  readonly overlay: string | undefined;
}

/**
 * Reads an OpenAPI description; all texts become documents here.
 *
 * Throws {@link DocumentMistake} for an invalid document, and {@link OverlayMistake} for an invalid overlay
 * or one that does not apply. An overlay applies to the document as written; Swagger 2.0 is converted
 * afterwards.
 */
export function readDescription({
  document: text,
  file,
  overlay,
  referenced,
}: DescriptionTexts): OpenApiDescription {
  const name = file && basename(file);
  const root = parseOpenApi(text);
  const written = bundled(root, name, referenced);
  const original = overlay === undefined ? written : withOverlay(written, name, overlay);
  return { ...asVersion3(original), original, overlay: overlay?.file };
}

/** Applies an overlay that is not from a file; undefined if it does not apply. */
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

/** The document with the files that it refers to. */
function bundled(
  root: OpenApiDocument,
  name: string | undefined,
  referenced: ReferencedFiles | undefined,
): PlacedDocument {
  if (referenced === undefined || referenced.files.length === 0)
    return { document: root, placeOf: asWritten };
  return bundleFiles(root, name ?? '', referenced.files);
}

function withOverlay(
  { document, placeOf }: PlacedDocument,
  documentName: string | undefined,
  { file, text }: NamedText,
): PlacedDocument {
  const reading = readOverlay(parseOverlay(file, text), documentName);
  if (reading.kind === 'faults') throw new OverlayMistake(file, placeFaults(text, reading.faults));
  const overlaying = applyOverlay(document, reading.actions);
  if (overlaying.kind === 'faults') throw new OverlayMistake(file, placeFaults(text, overlaying.faults));
  assertVersion(overlaying.document);
  return {
    document: overlaying.document,
    placeOf: (pointer) => {
      const place = overlaying.placeOf(pointer);
      return place.file === 'document' ? placeOf(place.pointer) : place;
    },
  };
}

function parseOverlay(file: string, text: string): unknown {
  try {
    return parseText(text);
  } catch (error) {
    if (!(error instanceof DocumentMistake)) throw error;
    throw unreadableOverlay(file, error);
  }
}
