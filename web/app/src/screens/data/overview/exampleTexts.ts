import { defineTexts } from '../../../i18n/texts';

/** The example data for new users. */
export const exampleTexts = defineTexts(
  {
    zone: 'Health',
    'zone.text': 'An example: change it, or delete it.',
    tool: 'Weight',
    'tool.text': 'In the morning, before breakfast.',
  },
  {
    zone: 'Santé',
    'zone.text': 'Un exemple : modifiez-le, ou supprimez-le.',
    tool: 'Poids',
    'tool.text': 'Le matin, avant le petit déjeuner.',
  },
);
