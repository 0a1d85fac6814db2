// Sends a request, and sends it again where no whole answer came of it.
import { Problem } from './problem';

const pauses = [250, 1000]; // milliseconds before it is sent again

const pause = (ms: number) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

// The server says in JSON why it does not answer; what has another form comes from a proxy before it.
const ofProxy = (response: Response) =>
  [502, 503, 504].includes(response.status) && !response.headers.get('Content-Type')?.includes('json');

// JSON that begins as an object and does not end as one was cut by something in between.
function torn(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1]! <= 0x20) end--;
  const [open, close] = [bytes[0], bytes[end - 1]];
  return (open === 0x7b && close !== 0x7d) || (open === 0x5b && close !== 0x5d);
}

/** The answer with its body, all of it: one that ends in the middle throws here and not where it is read. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.headers.get('Content-Type')?.includes('json') && torn(bytes)) throw new TypeError('half an answer');
  // A 204 may have no body, not even an empty one; and Chromium does give an empty one.
  return new Response(bytes.length > 0 ? bytes : null, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

/** A GET changes nothing, and a POST has an Idempotency-Key, so that it takes effect once however often it comes. */
export async function fetchWhole(request: Request): Promise<Response> {
  const repeatable = request.method === 'GET' || request.headers.has('Idempotency-Key');
  for (const delay of repeatable ? [...pauses, null] : [null]) {
    try {
      const response = await whole(await fetch(request.clone()));
      if (delay === null || !ofProxy(response)) return response;
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      if (delay === null) break;
    }
    await pause(delay);
  }
  throw new Problem({
    code: 'unreachable',
    retryable: true,
    tried: true,
    outcome: request.method === 'GET' ? undefined : 'unknown',
  });
}
