import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts({
  title: 'Runs', empty: 'No automation has run yet.', 'empty.make': 'Make the first automation',
  'outcome.COMPLETED': 'done', 'outcome.LIMIT_REACHED': 'stopped at a limit', 'outcome.ERROR': 'failed', 'outcome.TIMEOUT': 'took too long',
  'outcome.CANCELLED': 'stopped', 'outcome.SUSPENDED': 'paused', 'outcome.NETWORK_ERROR': 'network error', 'outcome.ended': 'ended',
  'outcome.queued': 'in the queue', 'outcome.running': 'running', 'outcome.requires_action': 'waits for you', 'outcome.waiting': 'waits',
  'outcome.suspended': 'paused for a chat', 'outcome.idle': 'at rest',
  'trigger.MANUAL': 'by hand', 'trigger.SCHEDULED': 'on schedule', 'trigger.EVENT': 'by an event',
  whole: 'Show all of it', less: 'Show less', roundtrips: { one: '{n} call of the AI', other: '{n} calls of the AI' }, open: 'Open the conversation', timeline: 'Timeline',
}, {
  title: 'Exécutions', empty: 'Aucune automatisation ne s’est encore exécutée.', 'empty.make': 'Créer la première automatisation',
  'outcome.COMPLETED': 'terminée', 'outcome.LIMIT_REACHED': 'arrêtée à une limite', 'outcome.ERROR': 'échouée', 'outcome.TIMEOUT': 'trop longue',
  'outcome.CANCELLED': 'arrêtée', 'outcome.SUSPENDED': 'en pause', 'outcome.NETWORK_ERROR': 'erreur de réseau', 'outcome.ended': 'finie',
  'outcome.queued': 'dans la file', 'outcome.running': 'en cours', 'outcome.requires_action': 'vous attend', 'outcome.waiting': 'attend',
  'outcome.suspended': 'en pause pour une conversation', 'outcome.idle': 'au repos',
  'trigger.MANUAL': 'à la main', 'trigger.SCHEDULED': 'selon l’horaire', 'trigger.EVENT': 'par un événement',
  whole: 'Tout afficher', less: 'Afficher moins', roundtrips: { one: '{n} appel de l’IA', other: '{n} appels de l’IA' }, open: 'Ouvrir la conversation', timeline: 'Chronologie',
});
