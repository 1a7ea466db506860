import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { DRAWING, FREE, type SpinnerState } from './spinner.ts';

const { lock, delayMs }: SpinnerState = workerData;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;
/** Longer lines would wrap and could not be erased. */
const MOST_CHARACTERS = 72;

let step = '';
let frame = 0;

/** Draws unless stopped; stopping waits for a running draw. */
function draw(): void {
  if (step === '' || Atomics.compareExchange(lock, 0, FREE, DRAWING) !== FREE) return;
  writeSync(2, `\r\x1b[K${FRAMES[frame % FRAMES.length]} ${clipped(step)} …`);
  frame += 1;
  Atomics.store(lock, 0, FREE);
  Atomics.notify(lock, 0);
}

function clipped(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}

parentPort?.on('message', (next: string) => {
  step = next;
});
setTimeout(() => setInterval(draw, FRAME_MS), delayMs);
