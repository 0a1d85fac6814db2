import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts({
  title: 'Runs',
}, {
  title: 'Exécutions',
});
