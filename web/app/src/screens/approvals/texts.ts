import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts({
  title: 'Approvals', waiting: 'What waits for you', expires: 'ends',
  empty: 'Nothing needs you.', 'empty.text': 'What comes here: changes that need your yes, questions of the AI, budgets that are used up, runs that say they are done. Of every session, the oldest first.',
  filter: 'Show only', 'filter.kind': 'Kind', 'filter.session': 'Session', 'filter.all': 'all',
  tick: 'Choose: {name}', bulk: { one: 'Approve the {n} chosen', other: 'Approve the {n} chosen' }, 'bulk.at': 'Approving {n} of {all}…', 'bulk.done': '{n} of {all} approved', 'bulk.failed': 'not approved',
  older: 'Older ones are not shown yet.', changed: 'The data had changed since it was shown to you, so nothing was run. These are the present values: do you still agree?',
  recent: 'Settled lately', 'recent.none': 'Nothing was settled yet.',
  notify: 'Notify me when something waits', 'notify.on': 'You are notified when something waits and this page is hidden.', 'notify.denied': 'Notifications are blocked in this browser; the tab’s title counts what waits.',
  keys: 'Keys', 'keys.on': 'Single keys do this (turn it off if you speak to your computer)', 'key.j': 'next', 'key.k': 'the one before', 'key.a': 'approve, or send the answer', 'key.r': 'refuse, with a reason', 'key.e': 'edit', 'key.x': 'choose for approving several',
}, {
  title: 'Approbations', waiting: 'Ce qui vous attend', expires: 'fin',
  empty: 'Rien ne vous attend.', 'empty.text': 'Ce qui arrive ici : les modifications à approuver, les questions de l’IA, les budgets épuisés, les exécutions qui se disent terminées. De toutes les sessions, les plus anciennes d’abord.',
  filter: 'Ne montrer que', 'filter.kind': 'Genre', 'filter.session': 'Session', 'filter.all': 'tout',
  tick: 'Choisir : {name}', bulk: { one: 'Approuver celle choisie', other: 'Approuver les {n} choisies' }, 'bulk.at': 'Approbation {n} sur {all}…', 'bulk.done': '{n} sur {all} approuvées', 'bulk.failed': 'pas approuvé',
  older: 'Les plus anciennes ne sont pas encore affichées.', changed: 'Les données avaient changé depuis l’affichage ; rien n’a donc été exécuté. Voici les valeurs actuelles : êtes-vous toujours d’accord ?',
  recent: 'Décidé récemment', 'recent.none': 'Rien n’a encore été décidé.',
  notify: 'M’avertir quand quelque chose m’attend', 'notify.on': 'Vous êtes averti quand quelque chose vous attend et que cette page est cachée.', 'notify.denied': 'Les notifications sont bloquées dans ce navigateur ; le titre de l’onglet compte ce qui attend.',
  keys: 'Touches', 'keys.on': 'Les touches seules agissent (à désactiver si vous parlez à votre ordinateur)', 'key.j': 'suivante', 'key.k': 'précédente', 'key.a': 'approuver, ou envoyer la réponse', 'key.r': 'refuser, avec une raison', 'key.e': 'modifier', 'key.x': 'choisir pour en approuver plusieurs',
});
