// A chat that is created when its first message is sent.
import { api, body, versioned, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { cutAtWord } from './cut';
import { emptyDraft, keepDraft, readDraft, tokenOf, type Draft } from './drafts';
import { keepParcels, newChat, Outbox, post, type FirstChoices, type Outgoing, type Parcel } from './outbox';

type Session = Schemas['Session'];

/** A chat's name from its first message: the beginning of the first line. */
export function nameAfter({ text, references, files }: Draft): string {
  const plain = references.reduce((all, r) => all.replace(tokenOf(r.label), r.label), text.trim());
  return cutAtWord((plain || files?.[0]?.name || '').split('\n')[0]!, 60);
}

interface Listener {
  changed: () => void;
  opened: (session: Session) => void;
}

/** Messages of a chat that does not exist yet. The first one creates it, and it receives all of them; if the screen
 * was left before, they are sent from here. */
export class Beginning {
  readonly outbox: Outbox;
  private listener: Listener | null = null;

  constructor() {
    this.outbox = new Outbox(
      newChat,
      () => this.listener?.changed(),
      (parcel) => this.make(parcel),
    );
  }

  start(listener: Listener): () => void {
    this.listener = listener;
    this.outbox.open();
    void this.outbox.flush();
    return () => {
      this.listener = null;
      this.outbox.close();
    };
  }

  private async make(parcel: Parcel): Promise<void> {
    if (parcel.first) await keepChoices(parcel.first);
    const session = await body(
      api.POST('/v1/sessions', {
        params: { header: { 'Idempotency-Key': `chat-${parcel.key}` } },
        body: { type: 'CHAT', require_validation: false, name: nameAfter(parcel.draft) },
      }),
    );
    const all: Outgoing[] = [...this.outbox.items];
    keepParcels(session, all.length ? all : [parcel]);
    for (const item of all) this.outbox.remove(item.key);
    keepDraft(session.id, readDraft(newDraft));
    keepDraft(newDraft, emptyDraft);
    if (this.listener) {
      this.listener.opened(session);
      return;
    }
    const rest = new Outbox(
      session.id,
      () => {},
      async (one) => void (await post(session.id, one)),
    );
    await rest.flush();
  }
}

const newDraft = undefined; // the draft of a chat that does not exist yet

/** Whether the workspace is unused: no chats, runs or zones. */
async function isUnused(): Promise<boolean> {
  const one = { params: { query: { limit: 1 } } };
  const [sessions, zones] = await Promise.all([body(api.GET('/v1/sessions', one)), body(api.GET('/v1/zones', one))]);
  return sessions.data.length === 0 && zones.data.length === 0;
}

/** The initial choices that become settings: those that the workspace has not set. */
export function choicesToSave(
  { asks, language, timeZone }: FirstChoices,
  settings: Pick<Schemas['Settings'], 'changed' | 'language' | 'time_zone' | 'require_validation'>,
): Schemas['SettingsPatch'] {
  const free = (pointer: string) => !settings.changed.includes(pointer);
  return {
    ...(asks && !settings.require_validation && free('/require_validation') ? { require_validation: true } : {}),
    ...(language && language !== settings.language && free('/language')
      ? { language: language as Schemas['Settings']['language'] }
      : {}),
    ...(timeZone && timeZone !== settings.time_zone && free('/time_zone') ? { time_zone: timeZone } : {}),
  };
}

/** Saves the choices made before the first message, before that message is sent. A workspace in use is left
 * unchanged. */
async function keepChoices(first: FirstChoices): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { value, etag } = await versioned(api.GET('/v1/settings'));
    const patch = choicesToSave(first, value);
    if (!Object.keys(patch).length || !(await isUnused())) return;
    try {
      await api.PATCH('/v1/settings', { params: { header: { 'If-Match': etag } }, body: patch });
      return;
    } catch (thrown) {
      if (asProblem(thrown).status !== 412 || tries >= 2) throw thrown; // a concurrent change: read again
    }
  }
}
