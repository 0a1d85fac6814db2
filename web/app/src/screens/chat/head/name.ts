import type { Session } from '../store/sessionStore';
import type { texts } from '../texts';

/** The name of a session, or a substitute if it has none. */
export const nameOf = (session: Pick<Session, 'name' | 'type'>, t: typeof texts.t): string =>
  session.name || t(session.type === 'CHAT' ? 'untitled' : 'run.untitled');
