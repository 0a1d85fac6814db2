import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts({
  title: 'Data',
}, {
  title: 'Données',
});
