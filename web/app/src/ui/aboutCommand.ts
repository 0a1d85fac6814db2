import type { Schemas } from '../api/client';
import { getLang } from '../i18n/lang';

// The built-in agent is described like built-in commands: for the AI, in English.
const isOurs = ({ source, name }: Schemas['CommandSpec']) => source === 'builtin' || name === 'AGENT.CONTEXT_MANAGER';

/** The description of a command; a French page omits English ones. */
export const aboutCommand = (command: Schemas['CommandSpec']): string | undefined =>
  getLang() === 'fr' && isOurs(command) ? undefined : command.description;
