import { defineTexts } from '../i18n/texts';

export const texts = defineTexts(
  {
    undo: 'Undo',
    done: 'Undone',
    since: 'It was changed again since, so it stays as it is. Change it under Data.',
    first: 'Nothing was published before. To take it away, delete the document under Data.',
  },
  {
    undo: 'Annuler',
    done: 'Annulé',
    since: 'Modifié depuis : rien n’a été changé. Corrigez-le dans Données.',
    first: 'Rien n’était publié avant. Pour le retirer, supprimez le document dans Données.',
  },
);
