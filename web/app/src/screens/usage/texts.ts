import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts({
  title: 'Usage', period: 'Period', 'period.1': 'Today', 'period.7': '7 days', 'period.30': '30 days', 'period.90': '90 days', measure: 'Measure', 'measure.cost': 'Money', 'measure.tokens': 'Tokens', 'measure.calls': 'Calls',
  none: 'Nothing was used in this time. Every call of an AI is counted here, also those of the demo.', totals: 'All together', cost: 'Cost', tokens: 'Tokens', input: 'Tokens in', output: 'Tokens out', cached: 'From the cache', calls: 'Calls', errors: 'Without an answer', 'cost.none': 'no price known',
  unpriced: { one: '{count} call is of a model without a known price: the cost does not include it.', other: '{count} calls are of models without a known price: the cost does not include them.' },
  days: 'Day by day', 'days.table': 'The same in numbers', day: 'Day', groups: 'Who used it', group: 'By', 'group.model': 'Model', 'group.provider': 'Provider', 'group.automation': 'Automation', 'group.purpose': 'Purpose', 'group.type': 'Kind of session', 'group.session': 'Session',
  'none.provider': 'the demo', 'none.automation': 'no automation (conversations)', 'none.else': 'none', 'purpose.answer': 'answers', 'purpose.summary': 'summaries', share: 'Share',
  budgets: 'Budgets', 'budgets.set': 'Set budgets', 'budget.none': 'No budget by the day or the month is set.', 'budget.chat.day': 'Conversations, today', 'budget.chat.month': 'Conversations, this month', 'budget.automation.day': 'Automations, today', 'budget.automation.month': 'Automations, this month',
  'budget.of': '{spent} of {max} ({share})', 'budget.over': 'Used up: before the next call a person is asked.',
}, {
  title: 'Consommation', period: 'Période', 'period.1': 'Aujourd’hui', 'period.7': '7 jours', 'period.30': '30 jours', 'period.90': '90 jours', measure: 'Mesure', 'measure.cost': 'Argent', 'measure.tokens': 'Jetons', 'measure.calls': 'Appels',
  none: 'Rien n’a été consommé dans cette période. Chaque appel à une IA compte ici, ceux de la démo aussi.', totals: 'En tout', cost: 'Coût', tokens: 'Jetons', input: 'Jetons en entrée', output: 'Jetons en sortie', cached: 'Depuis le cache', calls: 'Appels', errors: 'Sans réponse', 'cost.none': 'prix inconnu',
  unpriced: { one: '{count} appel est d’un modèle sans prix connu : le coût ne le compte pas.', other: '{count} appels sont de modèles sans prix connu : le coût ne les compte pas.' },
  days: 'Jour par jour', 'days.table': 'La même chose en chiffres', day: 'Jour', groups: 'Qui a consommé', group: 'Par', 'group.model': 'Modèle', 'group.provider': 'Fournisseur', 'group.automation': 'Automatisation', 'group.purpose': 'But', 'group.type': 'Genre de session', 'group.session': 'Session',
  'none.provider': 'la démo', 'none.automation': 'aucune automatisation (conversations)', 'none.else': 'aucun', 'purpose.answer': 'réponses', 'purpose.summary': 'résumés', share: 'Part',
  budgets: 'Budgets', 'budgets.set': 'Fixer des budgets', 'budget.none': 'Aucun budget par jour ou par mois n’est fixé.', 'budget.chat.day': 'Conversations, aujourd’hui', 'budget.chat.month': 'Conversations, ce mois-ci', 'budget.automation.day': 'Automatisations, aujourd’hui', 'budget.automation.month': 'Automatisations, ce mois-ci',
  'budget.of': '{spent} sur {max} ({share})', 'budget.over': 'Épuisé : avant le prochain appel on demande à quelqu’un.',
});
