import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outcome, temporaryFile } from '../cli/command.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject, sourceOf } from '../support/temporary-project.ts';
import { documentWith, HOSTILE_DOCUMENTS, NOTE, ROW, withProperty } from './hostile-documents.cases.ts';

/** Serves the document before an upstream that has one row at every path. */
async function serve(document: object): Promise<ProjectGateway> {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    reply.json(target.endsWith('s') ? [ROW] : ROW);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Api', './api.json', upstream.url)}`,
    'api.json': JSON.stringify(document),
  });
  return serveProject(project);
}

type Finding = Readonly<Record<'severity' | 'pointer' | 'message', string>>;

/** The findings of `duogate model` on the document. */
async function reportOn(document: object): Promise<readonly (readonly string[])[]> {
  const file = await temporaryFile('api.json', JSON.stringify(document));
  const { stdout } = await outcome(['model', '--json', file]);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  return findings.map(({ severity, pointer, message }) => [severity, pointer, message]);
}

/** The findings in the log of a gateway. */
function loggedBy(gateway: ProjectGateway): readonly (readonly unknown[])[] {
  const findings = gateway.entries().filter((entry) => 'pointer' in entry);
  return findings.map(({ severity, pointer, msg }) => [severity, pointer, msg]);
}

/** Findings of one kind are one entry with a count of the others. */
function countLogged(gateway: ProjectGateway): number {
  const entries = gateway.entries().filter((entry) => 'pointer' in entry);
  return entries.reduce((sum, { others = 0 }) => sum + 1 + Number(others), 0);
}

describe('a document with', () => {
  it.each(HOSTILE_DOCUMENTS)('$what is served as far as it can be', async (hostile) => {
    const { document, findings, entitySets } = hostile;
    expect(await reportOn(document)).toStrictEqual(findings);
    const gateway = await serve(document);
    expect(findings).toStrictEqual(expect.arrayContaining([...loggedBy(gateway)]));
    expect(countLogged(gateway)).toBe(findings.length);
    expect(await gateway.entitySets()).toStrictEqual(entitySets);
    for (const name of entitySets) {
      const row = { Id: '1', Title: 'A title' };
      expect(await gateway.json(`/odata/${name}`)).toMatchObject({ value: [row] });
      expect(await gateway.json(`/odata/${name}('1')`)).toMatchObject(row);
    }
  });
});

describe('a $ref that leaves the document', () => {
  function pointingAt(reference: string) {
    return {
      document: documentWith({ Note: withProperty('away', { $ref: reference }) }),
      finding: [
        'error',
        '/components/schemas/Note/properties/away',
        `The reference ${JSON.stringify(reference)} leaves the document: it is not read`,
      ],
    };
  }

  async function expectServed(reference: string): Promise<void> {
    const { document, finding } = pointingAt(reference);
    expect(await reportOn(document)).toStrictEqual([finding]);
    const gateway = await serve(document);
    expect(loggedBy(gateway)).toStrictEqual([finding]);
    expect(await gateway.json('/odata/Note')).toMatchObject({ value: [{ Id: '1', Title: 'A title' }] });
  }

  it('for a URL calls nobody', async () => {
    const stranger = await startStandInUpstream((_, reply) => reply.json(NOTE));
    onTestFinished(() => stranger.close());
    await expectServed(`${stranger.url}/schema.json`);
    expect(stranger.accepted).toBe(0);
  });

  it('for a file opens none', async () => {
    const { path } = createProject({ 'empty.txt': '' });
    const pipe = path('schema.json');
    execFileSync('mkfifo', [pipe]);
    await expectServed(pipe);
    // Opening for writing fails at once only if no reader waits.
    expect(() => closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK))).toThrow('ENXIO');
  });

  it.each(['../secret.yaml#/Note', './secret.yaml', 'file:///etc/passwd', '//127.0.0.1:1/x', 'other#anchor'])(
    'as %s is not read',
    expectServed,
  );
});
