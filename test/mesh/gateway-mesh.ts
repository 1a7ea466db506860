import { type GatewayMesh, type MeshOptions, openGatewayMesh } from '../../src/mesh/mesh.ts';
import { type SourcesToWrite, writeSources } from '../../src/mesh/written-sources.ts';

/** Assembles the mesh in memory: nothing is written to disk and no generated code is read. */
export async function createGatewayMesh(options: MeshOptions & SourcesToWrite): Promise<GatewayMesh> {
  return openGatewayMesh(options, await writeSources(options));
}
