import { randomBytes } from 'node:crypto';
import { basename, extname, join, resolve } from 'node:path';
import { SETTING_GROUPS, type Setting, type SettingName } from '../config/settings.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { sourceNames } from './derive-model.ts';
import type { ServeCommand } from './serve-options.ts';
import { makeFolder, writeNew } from './written-files.ts';

type Init = Extract<ServeCommand, { kind: 'init' }>;

const SAMPLE = join(import.meta.dirname, '../../openapi/posts.yaml');

/** Creates a project folder. */
export function runInit({ directory, document = SAMPLE }: Init, io: Io): Promise<ExitCode> {
  const root = resolve(io.directory, directory);
  return reportingMistakes(io, () => {
    const text = decodeText(readBytes(resolve(io.directory, document), 'files'));
    const files = projectFiles(basename(document), text);
    makeFolder(join(root, 'openapi'));
    for (const [file, content] of files) {
      // Existing files are kept.
      const isMade = writeNew(join(root, file), content, file === '.env' ? 0o600 : undefined);
      io.write(`${isMade ? 'created' : 'kept   '} ${file}\n`, 'stdout');
    }
    const go = directory === '.' ? '' : `cd ${directory} && `;
    io.write(`\nNext: ${go}duogate serve .\n`, 'stdout');
    return true;
  });
}

function projectFiles(file: string, document: string): readonly (readonly [string, string])[] {
  const stem = basename(file, extname(file));
  const [name = 'Api'] = sourceNames([file]);
  const source = { name, handler: { openapi: { source: `./openapi/${file}` } } };
  return [
    [
      '.meshrc.yaml',
      `# What is served: one source for each API. Paths are relative to this file.\nsources:\n  - ${JSON.stringify(source)}\n`,
    ],
    [join('openapi', file), document],
    [join('openapi', `${stem}.overlay.yaml`), overlayOf(file)],
    ['.env', envFile({ AUTH_SECRET: randomBytes(32).toString('base64url'), SIGN_UP: 'invite' })],
    ['.gitignore', '.env\ndata/\n'],
    ['compose.yaml', COMPOSE],
  ];
}

function overlayOf(file: string): string {
  return `# What the document does not say, such as who may do what: duogate suggest openapi/${file}
overlay: 1.0.0
info: { title: What is served of ${file}, version: "1" }
extends: ${JSON.stringify(file)}
actions:
  - target: $
    update: {}
`;
}

const COMPOSE = `services:
  gateway:
    image: duogate
    env_file: .env
    environment:
      HOST: 0.0.0.0
      BASE_URL: http://localhost:4000
      MESH_CONFIG: /project/.meshrc.yaml
      DATABASE_URL: /project/data/duogate.sqlite
    ports: ["127.0.0.1:4000:4000"]
    volumes: [".:/project"]
    init: true
    restart: unless-stopped
`;

const WIDTH = 110;

/**
 * The `.env` of a new project: the most important variables with explanations; those without a value are
 * comments.
 */
function envFile(values: Partial<Readonly<Record<SettingName, string>>>): string {
  const given: Readonly<Record<string, string | undefined>> = values;
  const settings = [SETTING_GROUPS.basics, SETTING_GROUPS.accounts].flatMap((group) =>
    Object.entries<Setting>(group),
  );
  const parts = settings.map(([name, setting]) => {
    const value = given[name];
    const line = value === undefined ? `#${name}=${setting.fallback ?? ''}` : `${name}=${value}`;
    return `${commented(setting.meaning)}\n${line}\n`;
  });
  return ['# Keep this file out of version control. All variables: docs/configuration.md\n', ...parts].join(
    '\n',
  );
}

/** Comment lines without Markdown syntax. */
function commented(markdown: string): string {
  const text = markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`).join('\n');
}
