// A conversation with an approval in it, by a client that @hey-api/openapi-ts made.
import { client } from './client/client.gen.js';
import { answerApproval, createSession, getSession, listZones, streamSessionEvents } from './client/index.js';

const key = process.env['FERMATA_KEY'];
client.setConfig({
  baseUrl: process.env['FERMATA_URL'] ?? 'http://127.0.0.1:8080',
  ...(key ? { headers: { Authorization: `Bearer ${key}` } } : {}),
});

const name = `Orchard ${process.pid}`;
const session = await createSession({
  headers: { 'Idempotency-Key': `hey-api-${process.pid}` },
  body: { name: 'By hey-api', require_validation: true, message: { text: `create a zone ${name}` } },
  throwOnError: true,
});
const { stream } = await streamSessionEvents({ path: { session_id: session.data.id }, query: { after: '0' } });
for await (const event of stream) {
  if (!event?.type) continue; // hey-api hands over comments and `retry:` too
  if (event.type === 'approval.requested') {
    console.log('asked:', event.approval.actions.map((action) => action.text).join(', '));
    await answerApproval({ path: { approval_id: event.approval.id }, body: { approved: true }, throwOnError: true });
  } else if (event.type === 'command.ended') {
    console.log('done:', event.execution.command, event.execution.status);
  } else if (event.type === 'session.phase' && event.phase === 'IDLE' && event.from !== 'IDLE') break;
}
const zones = await listZones({ throwOnError: true });
if (!zones.data.data.some((zone) => zone.name === name)) throw new Error('the zone is not there');

const none = await getSession({ path: { session_id: 'ses_none' } });
if (none.error?.code !== 'not_found') throw new Error('an unknown session is no problem');
process.exit(0);
