// The texts of each phase of a session: the activity, the phase's name, and its description, in both languages. The
// compiler requires all three for a new phase.
import type { components } from '../api/schema';

type Phase = components['schemas']['Phase'];

export type Does = 'prepares' | 'thinks' | 'acts' | 'waits' | 'pauses' | 'ended';

/** The activity of a session in a phase; none at rest. */
export const doing: Record<Exclude<Phase, 'IDLE'>, Does> = {
  EXECUTING_ENRICHMENTS: 'prepares',
  COMPACTING_CONTEXT: 'prepares',
  AWAITING_SESSION_CLOSURE: 'prepares',
  CALLING_AI: 'thinks',
  PARSING_AI_RESPONSE: 'thinks',
  RETRYING_AFTER_FORMAT_ERROR: 'thinks',
  RETRYING_AFTER_ACTION_FAILURE: 'thinks',
  EXECUTING_DATA_QUERIES: 'acts',
  EXECUTING_ACTIONS: 'acts',
  WAITING_VALIDATION: 'waits',
  WAITING_COMMUNICATION_RESPONSE: 'waits',
  WAITING_BUDGET: 'waits',
  WAITING_COMPLETION_CONFIRMATION: 'waits',
  WAITING_EXTERNAL_RESULT: 'pauses',
  WAITING_NETWORK_RETRY: 'pauses',
  COMPLETED: 'ended',
};

type Names = Record<`phase.${Phase}`, string>;
// A completion without confirmation has a text of its own: it ends by its timer.
type Now = Record<`at.${Exclude<Phase, 'IDLE' | 'COMPLETED'> | 'WAITING_COMPLETION_TIMER'}`, string>;

/** The names of the phases. */
export const names = {
  en: {
    'phase.IDLE': 'Ready for your message',
    'phase.EXECUTING_ENRICHMENTS': 'Reading your data…',
    'phase.COMPACTING_CONTEXT': 'Summarising earlier messages…',
    'phase.CALLING_AI': 'Thinking…',
    'phase.PARSING_AI_RESPONSE': 'Reading the answer…',
    'phase.EXECUTING_DATA_QUERIES': 'Looking up your data…',
    'phase.EXECUTING_ACTIONS': 'Making changes…',
    'phase.WAITING_VALIDATION': 'Waiting for your approval',
    'phase.WAITING_COMMUNICATION_RESPONSE': 'Waiting for your answer',
    'phase.WAITING_BUDGET': 'Waiting: a budget is used up',
    'phase.WAITING_EXTERNAL_RESULT': 'Waiting for an external result',
    'phase.WAITING_COMPLETION_CONFIRMATION': 'Ending soon unless you stop it',
    'phase.WAITING_NETWORK_RETRY': 'Waiting for the network',
    'phase.RETRYING_AFTER_FORMAT_ERROR': 'Asking for a correction…',
    'phase.RETRYING_AFTER_ACTION_FAILURE': 'Retrying after a failed action…',
    'phase.AWAITING_SESSION_CLOSURE': 'Finishing…',
    'phase.COMPLETED': 'Ended',
  },
  fr: {
    'phase.IDLE': 'Prête pour votre message',
    'phase.EXECUTING_ENRICHMENTS': 'Lecture de vos données…',
    'phase.COMPACTING_CONTEXT': 'Résumé des messages précédents…',
    'phase.CALLING_AI': 'Réflexion…',
    'phase.PARSING_AI_RESPONSE': 'Lecture de la réponse…',
    'phase.EXECUTING_DATA_QUERIES': 'Consultation de vos données…',
    'phase.EXECUTING_ACTIONS': 'Modification…',
    'phase.WAITING_VALIDATION': 'En attente de votre accord',
    'phase.WAITING_COMMUNICATION_RESPONSE': 'En attente de votre réponse',
    'phase.WAITING_BUDGET': 'En attente : un budget est épuisé',
    'phase.WAITING_EXTERNAL_RESULT': 'En attente d’un résultat externe',
    'phase.WAITING_COMPLETION_CONFIRMATION': 'Se terminera, sauf avis contraire',
    'phase.WAITING_NETWORK_RETRY': 'En attente du réseau',
    'phase.RETRYING_AFTER_FORMAT_ERROR': 'Demande de correction…',
    'phase.RETRYING_AFTER_ACTION_FAILURE': 'Nouvel essai après un échec…',
    'phase.AWAITING_SESSION_CLOSURE': 'Finalisation…',
    'phase.COMPLETED': 'Terminée',
  },
} satisfies Record<'en' | 'fr', Names>;

/** The description of a phase, shown below the record. */
export const justNow = {
  en: {
    'at.EXECUTING_ENRICHMENTS': 'Reading…',
    'at.COMPACTING_CONTEXT': 'Summarising earlier messages…',
    'at.CALLING_AI': 'Thinking…',
    'at.PARSING_AI_RESPONSE': 'Reading the answer…',
    'at.EXECUTING_DATA_QUERIES': 'Looking up your data…',
    'at.EXECUTING_ACTIONS': 'Making changes…',
    'at.WAITING_VALIDATION': 'Waiting for your approval',
    'at.WAITING_COMMUNICATION_RESPONSE': 'Waiting for your answer',
    'at.WAITING_BUDGET': 'A budget is used up',
    'at.WAITING_EXTERNAL_RESULT': 'Waiting for an external result',
    'at.WAITING_COMPLETION_CONFIRMATION': 'Is this done?',
    'at.WAITING_COMPLETION_TIMER': 'Done, unless you say otherwise',
    'at.WAITING_NETWORK_RETRY': 'The AI can’t be reached',
    'at.RETRYING_AFTER_FORMAT_ERROR': 'Asking for a correction…',
    'at.RETRYING_AFTER_ACTION_FAILURE': 'Retrying after a failed action…',
    'at.AWAITING_SESSION_CLOSURE': 'Finishing…',
  },
  fr: {
    'at.EXECUTING_ENRICHMENTS': 'Lecture…',
    'at.COMPACTING_CONTEXT': 'Résumé des messages précédents…',
    'at.CALLING_AI': 'Réflexion…',
    'at.PARSING_AI_RESPONSE': 'Lecture de la réponse…',
    'at.EXECUTING_DATA_QUERIES': 'Consultation de vos données…',
    'at.EXECUTING_ACTIONS': 'Modification…',
    'at.WAITING_VALIDATION': 'En attente de votre accord',
    'at.WAITING_COMMUNICATION_RESPONSE': 'En attente de votre réponse',
    'at.WAITING_BUDGET': 'Un budget est épuisé',
    'at.WAITING_EXTERNAL_RESULT': 'En attente d’un résultat externe',
    'at.WAITING_COMPLETION_CONFIRMATION': 'Est-ce terminé ?',
    'at.WAITING_COMPLETION_TIMER': 'Terminé, sauf avis contraire',
    'at.WAITING_NETWORK_RETRY': 'L’IA est injoignable',
    'at.RETRYING_AFTER_FORMAT_ERROR': 'Demande de correction…',
    'at.RETRYING_AFTER_ACTION_FAILURE': 'Nouvel essai après un échec…',
    'at.AWAITING_SESSION_CLOSURE': 'Finalisation…',
  },
} satisfies Record<'en' | 'fr', Now>;
