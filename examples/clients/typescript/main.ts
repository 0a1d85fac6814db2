// A conversation with an approval in it, by a client that openapi-typescript made.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type EventData = components['schemas']['SessionEventData'];
type Problem = components['schemas']['Problem'];

const key = process.env['FERMATA_KEY'];
const api = createClient<paths>({
  baseUrl: process.env['FERMATA_URL'] ?? 'http://127.0.0.1:8080',
  headers: key ? { Authorization: `Bearer ${key}` } : {},
});

/** The data of an answer; every call has the same kind of error. */
function must<T>(answer: { data?: T | undefined; error?: Problem | undefined }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.code}: ${answer.error?.detail} (${answer.error?.request_id})`);
  return answer.data;
}

/** The events of a session, each with its own type of data. */
async function* follow(session_id: string): AsyncGenerator<EventData> {
  const stream = must(await api.GET('/v1/sessions/{session_id}/events/stream', {
    params: { path: { session_id }, query: { after: '0' } }, parseAs: 'stream',
  })) as unknown as ReadableStream<Uint8Array>;
  const decoder = new TextDecoder();
  let left = '';
  for await (const piece of stream) {
    const events = (left + decoder.decode(piece, { stream: true })).split('\n\n');
    left = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)).join('\n');
      if (data) yield JSON.parse(data) as EventData;
    }
  }
}

const name = `Garden ${process.pid}`;
const session = must(await api.POST('/v1/sessions', {
  params: { header: { 'Idempotency-Key': `typescript-${process.pid}` } },
  body: { name: 'By openapi-typescript', require_validation: true, message: { text: `create a zone ${name}` } },
}));
for await (const event of follow(session.id)) {
  if (event.type === 'approval.requested') {
    console.log('asked:', event.approval.actions.map((action) => action.text).join(', '));
    must(await api.POST('/v1/approvals/{approval_id}', { params: { path: { approval_id: event.approval.id } }, body: { approved: true } }));
  } else if (event.type === 'command.ended') {
    console.log('done:', event.execution.command, event.execution.status);
  } else if (event.type === 'session.phase' && event.phase === 'IDLE' && event.from !== 'IDLE') break;
}
const zones = must(await api.GET('/v1/zones'));
if (!zones.data.some((zone) => zone.name === name)) throw new Error('the zone is not there');

const none = await api.GET('/v1/sessions/{session_id}', { params: { path: { session_id: 'ses_none' } } });
if (none.error?.code !== 'not_found') throw new Error('an unknown session is no problem');
process.exit(0);
