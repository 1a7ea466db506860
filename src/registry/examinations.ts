import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { EMPTY_MODEL, type Examination } from '../contract/api-report.ts';
import type { DocumentMistake } from '../document/document-mistake.ts';
import { reportMistake } from '../document/document-report.ts';
import { readText } from '../document/file-text.ts';

/** A text, and what is known of it. */
export interface ExaminedText {
  /** Differs where the text does. */
  readonly digest: string;
  readonly examination: Examination;
}

/** Examines texts, each once as long as it is remembered. */
export interface Examinations {
  ofText(text: string, name: string): Promise<ExaminedText>;
  ofFile(file: string, name: string): Promise<ExaminedText>;
}

const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

export function createExaminations(
  examine: (text: string, name: string) => Promise<Examination>,
): Examinations {
  const known = new LRUCache<string, Promise<Examination>>({ maxSize: REMEMBERED_CHARACTERS });
  const ofText: Examinations['ofText'] = async (text, name) => {
    const digest = hash('sha256', text);
    const key = `${name} ${digest}`;
    const examination = known.get(key) ?? examine(text, name);
    known.set(key, examination, { size: text.length + 1 });
    try {
      return { digest, examination: await examination };
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
  return {
    ofText,
    async ofFile(file, name) {
      const reading = readText(file, 'files');
      return typeof reading === 'string' ? ofText(reading, name) : unreadable(reading);
    },
  };
}

function unreadable(mistake: DocumentMistake): ExaminedText {
  const report = reportMistake(mistake);
  const examination = { report, document: undefined, servers: [], operations: [], model: EMPTY_MODEL };
  return { digest: '', examination };
}
