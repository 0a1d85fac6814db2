import { defineTexts } from '../i18n/texts';

export const texts = defineTexts(
  { image: 'image not loaded: {alt}', table: 'Table', code: 'Code', wrap: 'Wrap', done: 'Done', open: 'To do' },
  {
    image: 'image non chargée : {alt}',
    table: 'Tableau',
    code: 'Code',
    wrap: 'Retour à la ligne',
    done: 'Fait',
    open: 'À faire',
  },
);
