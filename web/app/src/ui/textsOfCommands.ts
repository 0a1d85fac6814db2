import { mistakeWords, problemInFrench } from '../api/inFrench';
import type { Schemas } from '../api/client';
import { getLang } from '../i18n/lang';
import { defineTexts } from '../i18n/texts';

// Error messages are written for the AI. People get a text by the code.
const texts = defineTexts(
  {
    other: 'This failed.',
    format_error: 'The AI asked for this in the wrong way, so nothing was run.',
    unknown_command: 'The AI asked for something that doesn’t exist here.',
    ignored: 'This was left out.',
    earlier_failed: 'Not run, because another change could not be made.',
    timeout: 'This took too long.',
    internal: 'Something went wrong on the server.',
    forbidden: 'Your role doesn’t allow this.',
    not_found: 'This was not found.',
    not_sent: 'Nothing was sent to the other server.',
    refused_outside: 'The other server refused this.',
    no_answer: 'The other server did not answer.',
    outcome_unknown: 'We can’t tell whether this was done.',
    agent_failed: 'The agent could not finish its task.',
    task_failed: 'The other service could not finish this.',
    task_expired: 'The other service did not finish in time.',
    task_cancelled: 'This was cancelled.',
    not_done: 'The agent did not finish its task.',
  },
  {
    other: 'Échec.',
    format_error: 'L’IA l’a mal demandé : rien n’a été exécuté.',
    unknown_command: 'L’IA a demandé quelque chose qui n’existe pas ici.',
    ignored: 'Laissé de côté.',
    earlier_failed: 'Non exécuté : une autre modification n’a pas pu être faite.',
    timeout: 'Cela a pris trop de temps.',
    internal: 'Une erreur est survenue sur le serveur.',
    forbidden: 'Votre rôle ne le permet pas.',
    not_found: 'Introuvable.',
    not_sent: 'Rien n’a été envoyé à l’autre serveur.',
    refused_outside: 'L’autre serveur a refusé.',
    no_answer: 'L’autre serveur n’a pas répondu.',
    outcome_unknown: 'Impossible de savoir si cela a été fait.',
    agent_failed: 'L’agent n’a pas pu terminer sa tâche.',
    task_failed: 'L’autre service n’a pas pu terminer.',
    task_expired: 'L’autre service n’a pas terminé à temps.',
    task_cancelled: 'Annulé.',
    not_done: 'L’agent n’a pas terminé sa tâche.',
  },
);

// The server has texts for people for these.
const said = new Set(['limit_reached']);

/** Why a command failed, for people; `forAI` is the AI's message if it differs. */
export function failureWords({ code, message, fields = [] }: Schemas['CommandError']) {
  if (said.has(code)) return { words: message, fields: [], forAI: '' };
  const french = getLang() === 'fr';
  const words = texts.t.has(code)
    ? texts.t(code)
    : french
      ? (problemInFrench(code) ?? (code === 'invalid' ? 'Certaines valeurs ne sont pas valables.' : texts.t('other')))
      : message;
  return {
    words,
    // The fields of not_found add nothing for people.
    fields: (code === 'not_found' ? [] : fields)
      .filter((x) => !words.includes(x.message))
      .map((x) => ({ pointer: x.pointer, code: x.code, message: mistakeWords(x.code, x.message) })),
    forAI: words === message ? '' : message,
  };
}
