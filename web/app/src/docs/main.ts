// The API documentation at /docs: an entry of its own, so that the page does not load it. Everything is served by
// this server.
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import { serverURL } from '../api/base';

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUI({
  dom_id: '#docs',
  url: 'openapi.json',
  deepLinking: true, // an operation has an address of its own
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  tryItOutEnabled: false,
  validatorUrl: null, // it would send the contract to another host
  requestInterceptor: (request) => {
    const { origin, pathname, search } = new URL(String(request.url), location.href);
    // The contract's paths begin at the root of the server, which may be below the page's folder.
    const url = origin === location.origin ? serverURL(pathname + search) : request.url;
    return { ...request, url, credentials: 'same-origin' };
  },
});
