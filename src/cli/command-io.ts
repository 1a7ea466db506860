import type { Environment } from './derive-model.ts';

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
