import { writeSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Shared state for the drawing thread. */
export interface SpinnerState {
  /** One of {@link FREE}, {@link DRAWING} and {@link STOPPED}. */
  readonly lock: Int32Array;
  readonly delayMs: number;
}

export const FREE = 0;
export const DRAWING = 1;
const STOPPED = 2;

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./spinner-worker${extname(import.meta.url)}`, import.meta.url);
/** Shorter steps are not shown. */
const DELAY_MS = 400;
const CLEAR_LINE = '\r\x1b[K';
const STANDARD_ERROR = 2;

/**
 * Shows the current step with a spinner; undefined removes it.
 *
 * Drawn by a separate thread, because the work blocks this one.
 */
export function createSpinner(): (step: string | undefined) => void {
  let drawing: { readonly worker: Worker; readonly lock: Int32Array } | undefined;
  return (step) => {
    if (step !== undefined) {
      drawing ??= startDrawing();
      drawing.worker.postMessage(step);
    } else if (drawing !== undefined) {
      while (Atomics.compareExchange(drawing.lock, 0, FREE, STOPPED) === DRAWING)
        Atomics.wait(drawing.lock, 0, DRAWING, 50);
      writeSync(STANDARD_ERROR, CLEAR_LINE);
      void drawing.worker.terminate();
      drawing = undefined;
    }
  };
}

function startDrawing() {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  const workerData: SpinnerState = { lock, delayMs: DELAY_MS };
  const worker = new Worker(WORKER, { workerData });
  worker.unref();
  return { worker, lock };
}
