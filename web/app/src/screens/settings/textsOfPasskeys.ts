import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts(
  {
    passkeys: 'Passkeys',
    'passkeys.text': 'You approve sensitive actions with one: your device asks for your finger, your face or your PIN.',
    'passkeys.none': 'You have no passkey in this workspace.',
    passkey: 'Passkey',
    name: 'Name of the passkey',
    'name.hint': 'For example: my phone.',
    add: 'Add a passkey',
    'add.further': 'A passkey that you already have will confirm that the new one is yours too.',
    since: 'since',
    used: 'used last',
    remove: 'Remove',
    'remove.of': 'Remove: {name}',
    'remove.text': 'You can no longer approve anything with it.',
    'remove.last':
      'It is your only one. Without it you cannot approve sensitive actions, and only an administrator can let you add another.',
  },
  {
    passkeys: 'Clés d’accès',
    'passkeys.text':
      'Elles servent à approuver les actions sensibles : votre appareil demande votre doigt, votre visage ou votre code.',
    'passkeys.none': 'Vous n’avez aucune clé d’accès dans cet espace.',
    passkey: 'Clé d’accès',
    name: 'Nom de la clé d’accès',
    'name.hint': 'Par exemple : mon téléphone.',
    add: 'Ajouter une clé d’accès',
    'add.further': 'Une clé que vous avez déjà confirmera que la nouvelle est aussi la vôtre.',
    since: 'depuis',
    used: 'dernier usage',
    remove: 'Retirer',
    'remove.of': 'Retirer : {name}',
    'remove.text': 'Vous ne pourrez plus rien approuver avec elle.',
    'remove.last':
      'C’est la seule que vous ayez. Sans elle vous ne pourrez pas approuver d’actions sensibles, et seul un administrateur pourra vous laisser en ajouter une.',
  },
);
