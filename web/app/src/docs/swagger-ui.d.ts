declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface Options {
    dom_id: string;
    url: string;
    deepLinking?: boolean;
    docExpansion?: 'list' | 'full' | 'none';
    defaultModelsExpandDepth?: number;
    filter?: boolean;
    displayRequestDuration?: boolean;
    tryItOutEnabled?: boolean;
    validatorUrl?: string | null;
    requestInterceptor?: (request: Record<string, unknown>) => Record<string, unknown>;
  }
  export default function SwaggerUI(options: Options): unknown;
}
