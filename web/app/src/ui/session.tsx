// Sessions as people speak of them: their names, what they do, the way to them.
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
  // A name that a newer server may have added is shown as it is.
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

/** What the server's names mean in words. */
export function useWords(): Words {
  const t = texts.use();
  return words(t as T<string>);
}

type Named = Pick<Schemas['Session'], 'id' | 'name' | 'type'>;

/** Where a session is shown: a chat on the chat screen, a run in its timeline. */
export const sessionPath = (session: Pick<Named, 'id' | 'type'>) =>
  session.type === 'CHAT' ? `/chat/${session.id}` : `/timeline/${session.id}`;

/** The name of a session as a link to it. A very long one takes two lines; within a
 * sentence it is cut. */
export function SessionLink({ session, inline }: { session: Named; inline?: boolean }) {
  const t = texts.use();
  const name = session.name || t(session.type === 'CHAT' ? 'unnamed' : 'unnamed.run');
  return (
    <Link href={sessionPath(session)} className={inline ? undefined : 'clamp'} data-session={session.id}>
      <bdi>{visible(inline && name.length > 80 ? `${name.slice(0, 79)}…` : name)}</bdi>
    </Link>
  );
}

/** How long something has lasted, moving on by the second. */
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
