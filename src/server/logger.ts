import { type DestinationStream, type Logger, pino } from 'pino';
import { standardOutput } from './standard-output.ts';

export interface LoggerOptions {
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
