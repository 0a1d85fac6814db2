import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts(
  {
    text: 'Get notified of what needs your attention, even when this page is closed.',
    workspace: 'In this workspace',
    'off.no_server': 'This server sends no mail. Its operator can name a mail server: FERMATA_SMTP_URL.',
    'off.no_address':
      'This server sends no mail: it does not know the address that links should lead to. Its operator can set it: FERMATA_PUBLIC_URL.',
    address: 'Address {n}',
    'address.add': 'Add an address',
    'address.remove': 'Remove {address}',
    from: 'From',
    to: 'To',
    zone: 'Time zone of the workspace: {zone}.',
  },
  {
    text: 'Soyez prévenu de ce qui demande votre attention, même quand cette page est fermée.',
    workspace: 'Dans cet espace',
    'off.no_server':
      'Ce serveur n’envoie pas de courriel. Son exploitant peut nommer un serveur de courriel : FERMATA_SMTP_URL.',
    'off.no_address':
      'Ce serveur n’envoie pas de courriel : il ne connaît pas l’adresse vers laquelle les liens doivent mener. Son exploitant peut la définir : FERMATA_PUBLIC_URL.',
    address: 'Adresse {n}',
    'address.add': 'Ajouter une adresse',
    'address.remove': 'Retirer {address}',
    from: 'De',
    to: 'À',
    zone: 'Fuseau horaire de l’espace : {zone}.',
  },
);
