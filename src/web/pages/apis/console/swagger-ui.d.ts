/** The parts that the console uses; the package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerRequest {
    url: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    userFetch?: (url: string, request: SwaggerRequest) => Promise<Response>;
  }

  export interface SwaggerUIOptions {
    readonly domNode: HTMLElement;
    readonly spec: unknown;
    readonly presets: readonly unknown[];
    readonly plugins: readonly unknown[];
    readonly layout: string;
    readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    readonly [option: string]: unknown;
  }

  const SwaggerUI: {
    (options: SwaggerUIOptions): unknown;
    readonly presets: { readonly apis: unknown };
  };
  export default SwaggerUI;
}

declare module '*.css';
