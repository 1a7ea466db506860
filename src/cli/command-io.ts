import type { Environment } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';

/** What a command has of the world. */
export interface Io {
  readonly write: (text: string, output: 'stdout' | 'stderr') => void;
  /** The settings: those of the process and, beneath them, those of the working directory. */
  readonly environment: Environment;
  /** The output is a terminal that shows colours. */
  readonly isColoured: boolean;
  /** Shows on the terminal what is being done, until something else is, or nothing; undefined where there is no terminal. */
  readonly progress?: ((step: string | undefined) => void) | undefined;
  /** The working directory. */
  readonly directory: string;
  /** Starts the gateway with the environment's settings; comes back with its URL when it listens. */
  readonly serve: (environment: Environment) => Promise<string>;
  /** Reads the standard input to its end. */
  readonly readInput: () => Promise<string>;
}

export type ExitCode = 0 | 1 | 2;

/** A mistake that people can mend, in what a command reads or is told; an AggregateError lists those of settings or a project. */
type Mistake = GatewayError | AggregateError | DocumentMistake;

/**
 * Does what a command is for, which says whether it was done. Mistakes that people can mend are told; anything else is
 * a fault of ours, and thrown.
 */
export async function reportingMistakes(
  { write }: Pick<Io, 'write'>,
  work: () => boolean | Promise<boolean>,
  tell: (mistake: Mistake) => string = ({ message }) => `${message}\n`,
): Promise<ExitCode> {
  try {
    return (await work()) ? 0 : 1;
  } catch (error) {
    if (!isMistake(error)) throw error;
    write(tell(error), 'stderr');
    return 1;
  }
}

function isMistake(error: unknown): error is Mistake {
  return error instanceof GatewayError || error instanceof AggregateError || error instanceof DocumentMistake;
}
