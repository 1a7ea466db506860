import type { Log } from '../contract/log.ts';
import { namedOperations } from '../derive/operations/operation-names.ts';
import { documentSource } from '../openapi/document/document-source.ts';
import type { Finding } from '../openapi/document/finding.ts';
import type { OperationServer } from '../openapi/document/operation-server.ts';
import { type Project, suppliedBy } from '../sources/project-source.ts';
import { type TokenTarget, targetOf } from '../sources/token-target.ts';
import { openMeshServices, sourceSchema, type WrittenSchema, writeSchema } from './schema/load-schema.ts';

/** What has been made of a source's document for the mesh. It is plain data: another thread may have made it. */
export interface WrittenSource {
  readonly name: string;
  /** Undefined where none of its operations can be taken. */
  readonly schema: WrittenSchema | undefined;
  /** The servers of operations that are not called at the endpoint, by the names of their fields. */
  readonly servers: ReadonlyMap<string, OperationServer>;
  /** The JSON pointers of the operations that it has no field for; they are reported. */
  readonly leftOut: readonly string[];
  /** Where the source asks for access tokens, which its document may say. */
  readonly tokenTarget: TokenTarget | undefined;
  /** Its upstream answers as the document says, to the letter (`x-odata.strict`). */
  readonly strict: boolean;
  /** What of the document is not served, and why. */
  readonly report: readonly Finding[];
}

export interface SourcesToWrite {
  readonly project: Project;
  /** The OpenAPI document of each source, parsed. */
  readonly documents: ReadonlyMap<string, unknown>;
  readonly log: Log;
}

/** Has Mesh make the schema of each source: most of the work that a document makes. */
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
  // One after the other: findings and names follow the order of the project.
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
