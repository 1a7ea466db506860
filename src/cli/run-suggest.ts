import { basename, resolve } from 'node:path';
import { leftRelationProofs } from '../composition/followed-proofs.ts';
import type { RelationDecision } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { type RelationFinding, relationName } from '../contract/relation-outcome.ts';
import { modelFromOpenApi } from '../derive/model-from-openapi.ts';
import { readDescription } from '../openapi/openapi-description.ts';
import { overlayFile } from '../openapi/overlay/overlay-document.ts';
import { overlayWithReferences } from '../project/overlay/overlay-references.ts';
import { suggestOverlay } from '../project/suggestion/suggest-overlay.ts';
import { apiFolder, readApis } from '../registry/folder/api-folder.ts';
import type { ApiCommand } from './api-options.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { readDocument, readTexts } from './derive-model.ts';
import { projectFile } from './project-environment.ts';
import { outcomeText } from './relation-text.ts';
import { writeNew, writeWhole } from './written-files.ts';

type SuggestCommand = Extract<ApiCommand, { kind: 'suggest' }>;
type SuggestIo = Pick<Io, 'write' | 'environment' | 'directory'>;

/** Writes the suggested overlay for a file, or decisions about its relations into its overlay. */
export function runSuggest(command: SuggestCommand, io: SuggestIo): Promise<ExitCode> {
  const { file, accept, refuse } = command;
  return reportingMistakes(
    io,
    () => (accept.length + refuse.length > 0 ? decide(command, io) : suggest(command, io)),
    ({ message }) => `${file}: ${message}\n`,
  );
}

function suggest({ file, output }: SuggestCommand, io: SuggestIo): boolean {
  const name = basename(file);
  const findings = relationFindings(file, io);
  const overlay = suggestOverlay(readDescription(readDocument(file)), name, (relation) => {
    const finding = findings.get(relationName(relation));
    return finding === undefined ? '' : outcomeText({ ...finding, typedBy: relation.typedBy ?? null });
  });
  if (output === undefined) io.write(overlay, 'stdout');
  // Existing files are never overwritten.
  else if (!writeNew(output, overlay)) {
    throw new GatewayError('Conflict', `${output} cannot be written: it already exists.`);
  }
  return true;
}

const ALL_RESOLVED = 'resolved';
const SOURCE = 'Api';

function decide(
  { file, output = overlayFile(file), accept, refuse }: SuggestCommand,
  io: SuggestIo,
): boolean {
  const texts = readTexts(file);
  const { relations } = modelFromOpenApi([{ name: SOURCE, document: readDescription(texts).document }]);
  const findings = relationFindings(file, io);
  const decisions = [
    ...accept.flatMap((each): readonly RelationDecision[] => {
      if (each === ALL_RESOLVED) {
        return relations.filter(
          (found) => found.state === 'suggested' && findings.get(relationName(found))?.verdict === 'resolved',
        );
      }
      const [place = '', target] = each.split('=');
      const { entityType, property } = propertyOf(place);
      const found = relations.find((one) => one.entityType === entityType && one.property === property);
      return [{ entityType, property, target: target ?? found?.target ?? '' }];
    }),
    ...refuse.map((each) => ({ ...propertyOf(each), target: null })),
  ];
  if (decisions.length === 0) {
    io.write('No suggested relation has been shown by duogate probe: nothing is written.\n', 'stdout');
    return true;
  }
  writeWhole(output, overlayWithReferences(texts, SOURCE, decisions));
  const lines = decisions.map(({ entityType, property, target }) =>
    target === null
      ? `${entityType}/${property} is refused`
      : `${entityType}/${property} refers to ${target}`,
  );
  io.write(`${lines.map((line) => `${line}.\n`).join('')}Written to ${output}.\n`, 'stdout');
  return true;
}

function propertyOf(text: string): Pick<RelationDecision, 'entityType' | 'property'> {
  const [entityType = '', ...property] = text.split('/');
  return { entityType, property: property.join('/') };
}

/** The outcomes that `duogate probe` has left for the relations of a file, if it is one of the project's. */
function relationFindings(
  file: string,
  { environment, directory }: SuggestIo,
): ReadonlyMap<string, RelationFinding> {
  const project = projectFile(environment, directory);
  if (project === undefined) return new Map();
  const folder = apiFolder(resolve(directory, project));
  const api = readApis(folder).find((each) => resolve(each.file) === resolve(directory, file));
  const proofs = api === undefined ? [] : leftRelationProofs(folder);
  return new Map(proofs.filter(({ source }) => source === api?.name).map((proof) => [proof.name, proof]));
}
