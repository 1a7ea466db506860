import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import cds from '@sap/cds';
import express from 'express';
import { reportTo } from '../servers/meter.ts';

/** SAP CAP: OData of a service whose reads are handed to the upstream. */
const upstream = process.env['UPSTREAM_URL'] ?? '';
const model = cds.compile(`
  @path: '/odata' service Posts {
    @cds.persistence.skip entity Post { key id: Integer; userId: Integer; title: String; body: String; }
  }`);

cds.env.requires.auth = { kind: 'dummy' };
cds.model = cds.compile.for.nodejs(model);
const app = express().disable('x-powered-by');
await cds
  .serve('all')
  .from(cds.model)
  .in(app)
  .with((service) => {
    service.on('READ', 'Post', async ({ data }) => {
      const answer = await fetch(`${upstream}/posts${data?.id === undefined ? '' : `/${data.id}`}`);
      return answer.json();
    });
  });
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
reportTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
