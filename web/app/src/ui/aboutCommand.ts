import type { Schemas } from '../api/client';
import { getLang } from '../i18n/lang';

// The agent that every workspace has is described as our own commands are: for the AI, in English.
const isOurs = ({ source, name }: Schemas['CommandSpec']) => source === 'builtin' || name === 'AGENT.CONTEXT_MANAGER';

/** What a command does, beside its name: a French page leaves out what is English. */
export const aboutCommand = (command: Schemas['CommandSpec']): string | undefined =>
  getLang() === 'fr' && isOurs(command) ? undefined : command.description;
