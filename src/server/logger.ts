import { fstatSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';

interface LoggerOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  /** The destination of the lines; standard output by default. */
  readonly destination?: DestinationStream;
}

const SECRETS = ['authorization', 'cookie', 'set-cookie', 'x-api-key', 'password', 'secret', 'token'];

/** A logger that writes one line of escaped JSON per entry, without delaying requests. */
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
/** Lines are written in batches: a system call costs more than a line. */
const BATCH_BYTES = 32_768;
const FLUSH_MS = 250;
/** Maximum bytes that wait for a slow reader; more are dropped. */
const MOST_BYTES = 16_777_216;

/** Writes as much of the text as possible without blocking, and reports the result. */
type Write = (text: string, done: (error?: Error | null) => void) => void;

let dropped = 0;

/** The number of dropped lines since the start. */
export function droppedLines(): number {
  return dropped;
}

/**
 * The destination of the log. Lines that cannot be written, because the disk is full or the pipe is not read,
 * are dropped and counted: neither requests nor the shutdown wait for them.
 */
function standardOutput(): DestinationStream {
  opened ??= openOutput();
  return opened;
}

/** Shared by all gateways of the process. */
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
  // The last attempt to write; a blocked destination is skipped.
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

/** A file accepts all data or reports an error; Node would treat it as a pipe that may be full. */
function fileWriter(): Write {
  return (text, done) => writeOn(Buffer.from(text), done);
}

function writeOn(bytes: Buffer, done: (error?: Error | null) => void): void {
  write(STANDARD_OUTPUT, bytes, (error, count) => {
    if (error || count === bytes.length) done(error);
    else writeOn(bytes.subarray(count), done);
  });
}

/** Node writes to pipes and sockets asynchronously, and buffers the rest. */
function streamWriter(): Write {
  // The reader has closed the pipe. The callback gets the error, too.
  process.stdout.on('error', () => undefined);
  return (text, done) => process.stdout.write(text, done);
}

function lastWords(text: string, isFile: boolean): void {
  if (text === '') return;
  try {
    if (isFile) writeSync(STANDARD_OUTPUT, text);
    else process.stdout.write(text);
  } catch {
    // There is no destination left for the error.
  }
}
