import type { Environment } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';

/** The environment of a command: output, settings, working directory. */
export interface Io {
  readonly write: (text: string, output: 'stdout' | 'stderr') => void;
  /** The settings of the process, with those of the working directory as defaults. */
  readonly environment: Environment;
  /** True for a terminal with colours. */
  readonly isColoured: boolean;
  /** Shows the current step on the terminal, or removes it; undefined without a terminal. */
  readonly progress?: ((step: string | undefined) => void) | undefined;
  readonly directory: string;
  /** Starts the gateway; returns its URL when it listens. */
  readonly serve: (environment: Environment) => Promise<string>;
  /** Reads the standard input to its end. */
  readonly readInput: () => Promise<string>;
}

export type ExitCode = 0 | 1 | 2;

/** A user's mistake in input or arguments; an AggregateError lists those of settings or a project. */
type Mistake = GatewayError | AggregateError | DocumentMistake;

/**
 * Runs a command, which returns whether it succeeded. Users' mistakes are reported; internal errors are
 * thrown.
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
