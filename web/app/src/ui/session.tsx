// Sessions for display: name, activity, link.
import { Link } from 'wouter';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import type { T } from '../i18n/texts';
import { texts } from './textsOfSession';
import { useNow } from './Time';
import { visible } from './visible';

export interface Words {
  phase(name: string): string;
  status(name: string): string;
  ended(reason: string): string;
  trigger(name: string): string;
  type(name: string): string;
  approval(kind: string): string;
}

function words(t: T<string>): Words {
  // A name unknown to this page, of a newer server, is shown unchanged.
  const of = (kind: string) => (name: string) => (t.has(`${kind}.${name}`) ? t(`${kind}.${name}`) : name);
  return {
    phase: of('phase'),
    status: of('status'),
    ended: of('end'),
    trigger: of('trigger'),
    type: of('type'),
    approval: of('approval'),
  };
}

/** The texts of the server's names. */
export function useWords(): Words {
  const t = texts.use();
  return words(t as T<string>);
}

type Named = Pick<Schemas['Session'], 'id' | 'name' | 'type'>;

/** The address of a session: a chat on the chat screen, a run in its timeline. */
export const sessionPath = (session: Pick<Named, 'id' | 'type'>) =>
  session.type === 'CHAT' ? `/chat/${session.id}` : `/timeline/${session.id}`;

/** The name of a session as a link. A very long one is cut after two lines, or within a sentence after one. */
export function SessionLink({ session, inline }: { session: Named; inline?: boolean }) {
  const t = texts.use();
  const name = session.name || t(session.type === 'CHAT' ? 'unnamed' : 'unnamed.run');
  return (
    <Link href={sessionPath(session)} className={inline ? undefined : 'clamp'} data-session={session.id}>
      <bdi>{visible(inline && name.length > 80 ? `${name.slice(0, 79)}…` : name)}</bdi>
    </Link>
  );
}

/** An elapsed time, updated every second. */
export function Elapsed({ since }: { since: string }) {
  const f = useFormat();
  const now = useNow();
  const length = Math.max(0, now - new Date(since).getTime());
  return (
    <time dateTime={since} title={f.full(since)}>
      {f.duration(length < 1000 ? 1000 : Math.floor(length / 1000) * 1000)}
    </time>
  );
}
