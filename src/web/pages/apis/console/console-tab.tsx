import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './console.css';
import { isEntity } from '../../../service/entity.ts';
import { type Api, registryUrl } from '../../../service/registry.ts';
import { requestJson } from '../../../service/request.ts';
import { Failure } from '../../../state/failure.tsx';
import { LoadingFields } from '../../../state/loading.tsx';
import { CONSOLE_LAYOUT, consolePlugin } from './console-plugin.ts';
import { mendAccess } from './mend-access.ts';
import { type Trials, tryOperation } from './try-operation.ts';
import { useDarkMode } from './use-dark-mode.ts';

/** Runs any operation of an API through the gateway's own client. */
export default function ConsoleTab({ api: { name } }: { readonly api: Api }) {
  const document = useQuery({
    queryKey: ['document', name],
    queryFn: async ({ signal }) => (await requestJson(registryUrl(name, 'document'), { signal })).body,
  });
  if (document.isPending) return <LoadingFields count={4} />;
  if (document.isError) {
    return <Failure error={document.error} retry={() => document.refetch()} what="document" />;
  }
  return <Console name={name} document={document.data} />;
}

interface ConsoleProps {
  readonly name: string;
  readonly document: unknown;
}

function Console({ name, document }: ConsoleProps) {
  const place = useRef<HTMLDivElement>(null);
  useDarkMode();
  useEffect(() => {
    const domNode = place.current;
    if (domNode === null) return;
    const stopMending = mendAccess(domNode);
    showConsole(domNode, name, document);
    return () => {
      stopMending();
      domNode.replaceChildren();
    };
  }, [name, document]);
  return (
    <section aria-labelledby="console">
      <h2 id="console">Test console</h2>
      <p className="hint">Requests go through the gateway, with its identifiers, credentials and limits.</p>
      <div ref={place} className="console" />
    </section>
  );
}

function showConsole(domNode: HTMLElement, name: string, document: unknown): void {
  const trials: Trials = new Map();
  SwaggerUI({
    domNode,
    spec: { ...(isEntity(document) ? document : {}), servers: [{ url: registryUrl(name, 'try') }] },
    presets: [SwaggerUI.presets.apis],
    plugins: [consolePlugin(trials)],
    layout: CONSOLE_LAYOUT,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
    syntaxHighlight: false,
    requestInterceptor: (request) => {
      request.userFetch = (_, sent) => tryOperation(name, sent, trials);
      return request;
    },
  });
}
