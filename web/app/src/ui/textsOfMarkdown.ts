import { defineTexts } from '../i18n/texts';

export const texts = defineTexts(
  { image: 'image not loaded: {alt}', table: 'Table', code: 'Code', wrap: 'Wrap' },
  { image: 'image non chargée : {alt}', table: 'Tableau', code: 'Code', wrap: 'Retour à la ligne' },
);
