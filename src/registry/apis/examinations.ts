import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Examination, unservable } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { readerBeside } from '../../openapi/files/folder-files.ts';
import { readReferenced } from '../../openapi/files/referenced-files.ts';
import type { DescriptionTexts } from '../../openapi/openapi-description.ts';
import { overlayBeside, overlayFile } from '../../openapi/overlay/overlay-document.ts';
import { DocumentMistake } from '../../openapi/parse/document-mistake.ts';
import { readText } from '../../openapi/parse/file-text.ts';
import { reportMistake } from '../../openapi/report/document-report.ts';

/** A text with its analysis. */
export interface ExaminedText {
  /** Identifies the text. */
  readonly digest: string;
  readonly examination: Examination;
}

/** A document and its overlay, if any. */
interface OverlaidText {
  readonly document: string;
  readonly overlay: string | undefined;
}

/** Analyzes documents with their overlays, and caches the results. */
export interface Examinations {
  /** Analyzes a text as the content of that file, with the overlay beside the file. */
  ofText(text: string, name: string, file?: string): Promise<ExaminedText>;
  /** Analyzes a text as the content of that file, with the given overlay or none. */
  ofTexts(texts: OverlaidText, name: string, file: string): Promise<ExaminedText>;
  ofFile(file: string, name: string): Promise<ExaminedText>;
  /** Analyzes a document of several files. */
  ofFiles(texts: DescriptionTexts, name: string): Promise<ExaminedText>;
}

const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

/** `folder` is that of the project. */
export function createExaminations(
  folder: string,
  examine: (texts: DescriptionTexts, name: string) => Promise<Examination>,
): Examinations {
  const known = new LRUCache<string, Promise<Examination>>({ maxSize: REMEMBERED_CHARACTERS });
  const ofDescription = async (texts: DescriptionTexts, name: string): Promise<ExaminedText> => {
    const digest = hash('sha256', JSON.stringify(texts));
    const key = `${name} ${digest}`;
    const examination = known.get(key) ?? examine(texts, name);
    const all = [
      texts.document,
      texts.overlay?.text ?? '',
      ...(texts.referenced?.files ?? []).map(({ text }) => text),
    ];
    known.set(key, examination, { size: all.reduce((size, { length }) => size + length, 1) });
    try {
      return { digest, examination: await examination };
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
  const ofText: Examinations['ofText'] = async (text, name, file) => {
    const texts = textsIn(text, file, folder);
    return texts instanceof DocumentMistake ? unreadable(texts) : ofDescription(texts, name);
  };
  return {
    ofText,
    ofTexts({ document, overlay }, name, file) {
      const named = overlay === undefined ? undefined : { file: basename(overlayFile(file)), text: overlay };
      const referenced = referencedBy(document, file, folder);
      return ofDescription({ document, file: basename(file), overlay: named, referenced }, name);
    },
    ofFiles: ofDescription,
    async ofFile(file, name) {
      const reading = readText(file, 'files');
      if (typeof reading !== 'string') return unreadable(reading);
      return ofText(reading, name, file).catch((error: unknown) => {
        // An unreadable API must not prevent the list of all APIs.
        if (error instanceof GatewayError && error.target === 'document') {
          return unreadable(new DocumentMistake(error.message));
        }
        throw error;
      });
    },
  };
}

/**
 * A document with the overlay beside that file and the files within the project's folder that it refers to; the mistake if
 * the overlay cannot be read.
 */
export function textsIn(
  document: string,
  file: string | undefined,
  folder: string,
): DescriptionTexts | DocumentMistake {
  if (file === undefined) return { document };
  try {
    const referenced = referencedBy(document, file, folder);
    return { document, file: basename(file), overlay: overlayBeside(file), referenced };
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}

/** Only the document that lies in the project refers to files of it: others may come over the network. */
function referencedBy(document: string, file: string, folder: string): DescriptionTexts['referenced'] {
  if (readText(file, 'files') !== document) return undefined;
  const referenced = readReferenced(document, basename(file), readerBeside(file, folder));
  return referenced.files.length === 0 && referenced.unread.size === 0 ? undefined : referenced;
}

function unreadable(mistake: DocumentMistake): ExaminedText {
  return { digest: '', examination: unservable(reportMistake(mistake)) };
}
