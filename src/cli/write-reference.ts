import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandReference, withSettings } from './command-reference.ts';

/** Updates generated documentation: the page of commands, and the tables of variables. */
const DOCS = join(import.meta.dirname, '../../docs');
writeFileSync(join(DOCS, 'commands.md'), commandReference());
for (const name of ['configuration.md', 'limits.md']) {
  const file = join(DOCS, name);
  writeFileSync(file, withSettings(readFileSync(file, 'utf8')));
}
