import { defineTexts } from '../i18n/texts';

export const texts = defineTexts(
  {
    undo: 'Undo',
    done: 'Undone',
    'all.some': 'Undo {n} of {all}',
    'all.partly': { one: '{n} change could not be undone.', other: '{n} changes could not be undone.' },
    since: 'It was changed again since, so it stays as it is. Change it under Data.',
    first: 'Nothing was published before. To take it away, delete the document under Data.',
  },
  {
    undo: 'Annuler',
    done: 'Annulé',
    'all.some': 'Annuler {n} sur {all}',
    'all.partly': {
      one: '{n} modification n’a pas pu être annulée.',
      other: '{n} modifications n’ont pas pu être annulées.',
    },
    since: 'Modifié depuis : rien n’a été changé. Corrigez-le dans Données.',
    first: 'Rien n’était publié avant. Pour le retirer, supprimez le document dans Données.',
  },
);
