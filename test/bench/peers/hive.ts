import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createGatewayRuntime } from '@graphql-hive/gateway';
import { getComposedSchemaFromConfig } from '@graphql-mesh/compose-cli';
import { DefaultLogger } from '@graphql-mesh/utils';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';
import { reportTo } from '../servers/meter.ts';

/** Hive Gateway: GraphQL of the same OpenAPI document, composed by GraphQL Mesh. */
const endpoint = process.env['UPSTREAM_URL'] ?? '';
const source = fileURLToPath(new URL('../../../openapi/posts.yaml', import.meta.url));
const supergraph = await getComposedSchemaFromConfig(
  { subgraphs: [{ sourceHandler: loadOpenAPISubgraph('Posts', { source, endpoint }) }] },
  new DefaultLogger(),
);
const gateway = createGatewayRuntime({ supergraph, logging: false });
const server = createServer(gateway).listen(0, '127.0.0.1');
await once(server, 'listening');
reportTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
