import type { Log } from '../contract/log.ts';
import type { TokenTarget } from '../contract/source-credential.ts';
import { namedOperations } from '../derive/samples/operation-names.ts';
import { documentSource } from '../openapi/document/document-source.ts';
import type { Finding } from '../openapi/document/finding.ts';
import type { OperationServer } from '../openapi/document/operation-server.ts';
import { type Project, suppliedBy } from '../sources/project-source.ts';
import { targetOf } from '../sources/token-target.ts';
import { openMeshServices, sourceSchema, type WrittenSchema, writeSchema } from './schema/load-schema.ts';

/** The prepared document of a source. Plain data, which another thread may have created. */
export interface WrittenSource {
  readonly name: string;
  /** Undefined if Mesh can handle none of the operations. */
  readonly schema: WrittenSchema | undefined;
  /** The servers of operations that are not called at the endpoint, by field name. */
  readonly servers: ReadonlyMap<string, OperationServer>;
  /** The JSON pointers of operations without a field; they are reported. */
  readonly leftOut: readonly string[];
  /** The token endpoint of the source, which the document may declare. */
  readonly tokenTarget: TokenTarget | undefined;
  /** True if responses match the document exactly (`x-odata.strict`). */
  readonly strict: boolean;
  /** The parts of the document that are not served, with reasons. */
  readonly report: readonly Finding[];
}

export interface SourcesToWrite {
  readonly project: Project;
  readonly documents: ReadonlyMap<string, unknown>;
  readonly log: Log;
}

/** Lets Mesh build the schema of each source, which is most of the preparation. */
export async function writeSources({
  project,
  documents,
  log,
}: SourcesToWrite): Promise<readonly WrittenSource[]> {
  const services = openMeshServices(log);
  const opened = project.sources.map((settings) => ({
    settings,
    source: documentSource(settings.name, documents.get(settings.name), suppliedBy(settings)),
  }));
  const operations = namedOperations(opened.map(({ source }) => source));
  const written: WrittenSource[] = [];
  // In sequence, so that findings and names follow the order of the project.
  for (const { settings, source } of opened) {
    const { name } = source;
    const own = operations.get(source) ?? [];
    const { schema, leftOut } = await sourceSchema(source, own, (document) =>
      writeSchema(document, name, services),
    );
    const servers = new Map(own.flatMap(({ id, server }) => (server === undefined ? [] : [[id, server]])));
    const pointers = leftOut.map(({ node }) => node.pointer);
    const target = targetOf(settings, documents.get(name));
    const { strict } = source;
    const report = source.findings();
    written.push({ name, schema, servers, leftOut: pointers, tokenTarget: target, strict, report });
  }
  return written;
}
