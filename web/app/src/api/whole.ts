// Sends a request, and retries it if no complete response arrives.
import { Problem } from './problem';

const pauses = [250, 1000]; // milliseconds between attempts

const pause = (ms: number) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

// The server's errors are JSON; anything else comes from a proxy.
const ofProxy = (response: Response) =>
  [502, 503, 504].includes(response.status) && !response.headers.get('Content-Type')?.includes('json');

// JSON that begins as an object and does not end as one was truncated on the way.
function torn(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1]! <= 0x20) end--;
  const [open, close] = [bytes[0], bytes[end - 1]];
  return (open === 0x7b && close !== 0x7d) || (open === 0x5b && close !== 0x5d);
}

/** The response with its complete body: a truncated one throws here, not where it is read. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.headers.get('Content-Type')?.includes('json') && torn(bytes)) throw new TypeError('half an answer');
  // A Response with status 204 must not have a body, not even an empty one, and Chromium returns an empty one.
  return new Response(bytes.length > 0 ? bytes : null, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

/** Retrying is safe: a GET changes nothing, and a POST has an Idempotency-Key. */
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
