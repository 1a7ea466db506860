import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandReference } from './command-reference.ts';

/** Writes the page of the commands anew. */
writeFileSync(join(import.meta.dirname, '../../docs/commands.md'), commandReference());
