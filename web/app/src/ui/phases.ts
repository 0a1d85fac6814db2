// What the page knows of a phase of a session, in one place: what the session does in it, the
// phase's own name, and what it means just now, in both languages. The compiler asks for all
// three of a phase that the contract adds.
import type { components } from '../api/schema';

type Phase = components['schemas']['Phase'];

export type Does = 'prepares' | 'thinks' | 'acts' | 'waits' | 'pauses' | 'ended';

/** What a session does in a phase; one at rest does nothing. */
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
// The completion that a person need not confirm has words of its own: it ends by its timer.
type Now = Record<`at.${Exclude<Phase, 'IDLE' | 'COMPLETED'> | 'WAITING_COMPLETION_TIMER'}`, string>;

/** The names of the phases. */
export const names = {
  en: {
    'phase.IDLE': 'Ready for your message',
    'phase.EXECUTING_ENRICHMENTS': 'Gathers what the message refers to',
    'phase.COMPACTING_CONTEXT': 'Summarises the older part',
    'phase.CALLING_AI': 'The AI is thinking',
    'phase.PARSING_AI_RESPONSE': 'Reads the answer',
    'phase.EXECUTING_DATA_QUERIES': 'Looks at your data',
    'phase.EXECUTING_ACTIONS': 'Changes your data',
    'phase.WAITING_VALIDATION': 'Waits for your yes',
    'phase.WAITING_COMMUNICATION_RESPONSE': 'Waits for your answer',
    'phase.WAITING_BUDGET': 'Waits: a budget is used up',
    'phase.WAITING_EXTERNAL_RESULT': 'Waits for a result from outside',
    'phase.WAITING_COMPLETION_CONFIRMATION': 'About to end, unless you object',
    'phase.WAITING_NETWORK_RETRY': 'Waits for the network',
    'phase.RETRYING_AFTER_FORMAT_ERROR': 'Asks for a readable answer',
    'phase.RETRYING_AFTER_ACTION_FAILURE': 'Lets the AI mend what failed',
    'phase.AWAITING_SESSION_CLOSURE': 'Ends',
    'phase.COMPLETED': 'Ended',
  },
  fr: {
    'phase.IDLE': 'Attend votre message',
    'phase.EXECUTING_ENRICHMENTS': 'Rassemble ce que cite le message',
    'phase.COMPACTING_CONTEXT': 'Résume le début',
    'phase.CALLING_AI': 'L’IA réfléchit',
    'phase.PARSING_AI_RESPONSE': 'Lit la réponse',
    'phase.EXECUTING_DATA_QUERIES': 'Consulte vos données',
    'phase.EXECUTING_ACTIONS': 'Modifie vos données',
    'phase.WAITING_VALIDATION': 'Attend votre accord',
    'phase.WAITING_COMMUNICATION_RESPONSE': 'Attend votre réponse',
    'phase.WAITING_BUDGET': 'Attend : un budget est épuisé',
    'phase.WAITING_EXTERNAL_RESULT': 'Attend un résultat extérieur',
    'phase.WAITING_COMPLETION_CONFIRMATION': 'Va se terminer, sauf opposition',
    'phase.WAITING_NETWORK_RETRY': 'Attend le réseau',
    'phase.RETRYING_AFTER_FORMAT_ERROR': 'Demande une réponse lisible',
    'phase.RETRYING_AFTER_ACTION_FAILURE': 'Laisse l’IA corriger l’échec',
    'phase.AWAITING_SESSION_CLOSURE': 'Se termine',
    'phase.COMPLETED': 'Terminée',
  },
} satisfies Record<'en' | 'fr', Names>;

/** What a phase means just now, after the word for what the session does. */
export const justNow = {
  en: {
    'at.EXECUTING_ENRICHMENTS': 'reads what you referred to',
    'at.COMPACTING_CONTEXT': 'sums up earlier messages',
    'at.CALLING_AI': 'asks the AI',
    'at.PARSING_AI_RESPONSE': 'reads the answer',
    'at.EXECUTING_DATA_QUERIES': 'looks up your data',
    'at.EXECUTING_ACTIONS': 'makes the changes',
    'at.WAITING_VALIDATION': 'your approval is needed',
    'at.WAITING_COMMUNICATION_RESPONSE': 'it has a question',
    'at.WAITING_BUDGET': 'a budget is used up',
    'at.WAITING_EXTERNAL_RESULT': 'for a result from outside',
    'at.WAITING_COMPLETION_CONFIRMATION': 'is it done?',
    'at.WAITING_COMPLETION_TIMER': 'says that it is done',
    'at.WAITING_NETWORK_RETRY': 'the AI cannot be reached',
    'at.RETRYING_AFTER_FORMAT_ERROR': 'asks for a correction',
    'at.RETRYING_AFTER_ACTION_FAILURE': 'reports a failed change',
    'at.AWAITING_SESSION_CLOSURE': 'comes to an end',
  },
  fr: {
    'at.EXECUTING_ENRICHMENTS': 'lit ce que vous avez désigné',
    'at.COMPACTING_CONTEXT': 'résume les messages précédents',
    'at.CALLING_AI': 'interroge l’IA',
    'at.PARSING_AI_RESPONSE': 'lit la réponse',
    'at.EXECUTING_DATA_QUERIES': 'consulte vos données',
    'at.EXECUTING_ACTIONS': 'fait les modifications',
    'at.WAITING_VALIDATION': 'votre accord est nécessaire',
    'at.WAITING_COMMUNICATION_RESPONSE': 'il y a une question',
    'at.WAITING_BUDGET': 'un budget est épuisé',
    'at.WAITING_EXTERNAL_RESULT': 'jusqu’à un résultat de l’extérieur',
    'at.WAITING_COMPLETION_CONFIRMATION': 'est-ce fini ?',
    'at.WAITING_COMPLETION_TIMER': 'dit avoir fini',
    'at.WAITING_NETWORK_RETRY': 'l’IA est injoignable',
    'at.RETRYING_AFTER_FORMAT_ERROR': 'demande une correction',
    'at.RETRYING_AFTER_ACTION_FAILURE': 'signale une modification échouée',
    'at.AWAITING_SESSION_CLOSURE': 'se termine',
  },
} satisfies Record<'en' | 'fr', Now>;
