import { basename, extname } from 'node:path';
import { DocumentMistake } from '../document/document-mistake.ts';
import { decodeText, readBytes } from '../document/file-text.ts';
import type { OpenApiDocument } from '../document/openapi-version.ts';
import { parseOpenApi } from '../document/parse-openapi.ts';
import type { Model } from '../model/edm.ts';
import { modelFromOpenApi } from '../model/from-openapi.ts';
import { writeCsdlJson } from '../odata/payload/csdl-json.ts';
import { writeCsdlXml } from '../odata/payload/csdl-xml.ts';
import { type Command, type MetadataForm, readCommand } from './command-options.ts';
import { modelReport } from './model-report.ts';
import { writeFindings, writeReport } from './write-report.ts';

/** What a command has of the world. */
export interface Io {
  readonly write: (text: string, output: 'stdout' | 'stderr') => void;
  /** Starts the gateway with the environment's settings; comes back when it listens. */
  readonly serve: () => Promise<void>;
}

export type ExitCode = 0 | 1 | 2;

/** Runs `duogate` with the arguments that follow it on the command line. */
export async function runCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const command = readCommand(args);
  switch (command.kind) {
    case 'help':
      io.write(command.usage, 'stdout');
      return 0;
    case 'mistake':
      io.write(`${command.message}\n\n${command.usage}`, 'stderr');
      return 2;
    case 'serve':
      await io.serve();
      return 0;
    case 'model':
      return runModel(command, io);
  }
}

async function runModel(command: Command & { kind: 'model' }, { write }: Io): Promise<ExitCode> {
  const { file, output } = command;
  const reading = readDocument(file);
  if (reading.kind === 'mistake') {
    write(`${file}: ${reading.message}\n`, 'stderr');
    return 1;
  }
  const { document } = reading;
  const name = basename(file, extname(file));
  const { model, report: findings } = modelFromOpenApi([{ name, document }]);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (output === 'xml' || output === 'json') {
    write(writeMetadata(model, output), 'stdout');
    write(writeFindings(errors), 'stderr');
  } else {
    const report = modelReport({ file, name, document, model, findings });
    write(output === 'report' ? writeReport(report) : `${JSON.stringify(report, undefined, 2)}\n`, 'stdout');
  }
  return errors.length === 0 ? 0 : 1;
}

type Reading =
  | { readonly kind: 'document'; readonly document: OpenApiDocument }
  | { readonly kind: 'mistake'; readonly message: string };

function readDocument(file: string): Reading {
  try {
    const document = parseOpenApi(decodeText(readBytes(file, 'files and pipes')));
    return { kind: 'document', document };
  } catch (error) {
    if (error instanceof DocumentMistake) return { kind: 'mistake', message: error.message };
    throw error;
  }
}

function writeMetadata(model: Model, form: MetadataForm): string {
  if (form === 'xml') return `${writeCsdlXml(model, '4.01').trimEnd()}\n`;
  return `${JSON.stringify(JSON.parse(writeCsdlJson(model)), undefined, 2)}\n`;
}
