import { fstatSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';

interface LoggerOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  /** Where the lines go: standard output, unless a test wants them. */
  readonly destination?: DestinationStream;
}

const SECRETS = ['authorization', 'cookie', 'set-cookie', 'x-api-key', 'password', 'secret', 'token'];

/** A logger that writes one escaped line of JSON for each entry, off the request's way. */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['', 'headers', 'request.headers'].flatMap((owner) =>
        SECRETS.map((name) => (owner === '' ? `["${name}"]` : `${owner}["${name}"]`)),
      ),
    },
    options.destination ?? standardOutput(),
  );
}

const STANDARD_OUTPUT = 1;
/** Lines are written together: each call of the system costs more than a line. */
const BATCH_BYTES = 32_768;
const FLUSH_MS = 250;
/** What a reader that does not keep up costs: lines, not the process. */
const MOST_BYTES = 16_777_216;

/** Writes as much of the text as there is room for, and calls back with what came of it. It never blocks. */
type Write = (text: string, done: (error?: Error | null) => void) => void;

let dropped = 0;

/** How many lines nobody took since the start. */
export function droppedLines(): number {
  return dropped;
}

/**
 * Where the lines of the log go. What cannot be written, because the disk is full or nobody reads, is dropped and
 * counted: neither requests nor the end of the process wait for it.
 */
function standardOutput(): DestinationStream {
  opened ??= openOutput();
  return opened;
}

/** The process has one, however many gateways it starts. */
let opened: DestinationStream | undefined;

function openOutput(): DestinationStream {
  const place = fstatSync(STANDARD_OUTPUT);
  const isFile = place.isFile() || (place.isCharacterDevice() && !isatty(STANDARD_OUTPUT));
  const writer = isFile ? fileWriter() : streamWriter();
  let lines: string[] = [];
  let length = 0;
  let isWriting = false;
  const flush = (): void => {
    if (isWriting || lines.length === 0) return;
    const batch = lines;
    lines = [];
    length = 0;
    isWriting = true;
    writer(batch.join(''), (error) => {
      isWriting = false;
      if (error) dropped += batch.length;
      if (length >= BATCH_BYTES) flush();
    });
  };
  setInterval(flush, FLUSH_MS).unref();
  // The last chance: whoever is slow now has lost it.
  process.on('exit', () => {
    if (isWriting && !isFile) return;
    lastWords(lines.join(''), isFile);
  });
  return {
    write(line) {
      if (length + line.length > MOST_BYTES) {
        dropped += 1;
        return;
      }
      lines.push(line);
      length += line.length;
      if (length >= BATCH_BYTES) flush();
    },
  };
}

/** A file takes what it is given, or says why not: Node would take it for a pipe that may be full. */
function fileWriter(): Write {
  return (text, done) => writeOn(Buffer.from(text), done);
}

function writeOn(bytes: Buffer, done: (error?: Error | null) => void): void {
  write(STANDARD_OUTPUT, bytes, (error, count) => {
    if (error || count === bytes.length) done(error);
    else writeOn(bytes.subarray(count), done);
  });
}

/** Node writes to pipes and sockets without waiting, and keeps what they do not take. */
function streamWriter(): Write {
  // Whoever has read is gone. The failure reaches the callback, too.
  process.stdout.on('error', () => undefined);
  return (text, done) => process.stdout.write(text, done);
}

function lastWords(text: string, isFile: boolean): void {
  if (text === '') return;
  try {
    if (isFile) writeSync(STANDARD_OUTPUT, text);
    else process.stdout.write(text);
  } catch {
    // Nobody is left to be told.
  }
}
