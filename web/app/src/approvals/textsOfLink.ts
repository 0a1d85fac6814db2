import { defineTexts } from '../i18n/texts';

export const texts = defineTexts(
  {
    send: 'Send a link…',
    title: 'Send a link',
    text: 'Someone who is not signed in can answer this one there, on any device.',
    sensitive: 'This is sensitive: by a link it can be refused, not approved.',
    recipient: 'Who it is for',
    'recipient.hint': 'Such as ada@example.org. It is kept with the answer; the link itself is sent by you.',
    make: 'Make the link',
    made: 'The link is ready.',
    'made.for': 'The link for {name} is ready.',
    copy: 'Copy the link',
    share: 'Share…',
    'share.title': 'A question that needs your answer',
    until: 'Until this is answered, and at most until',
    holder: 'Anyone with the link can answer this one, and see nothing else. Send it as you would send a key.',
  },
  {
    send: 'Envoyer un lien…',
    title: 'Envoyer un lien',
    text: 'Une personne non connectée peut répondre à cette seule demande, depuis n’importe quel appareil.',
    sensitive: 'C’est sensible : par un lien, on peut refuser, mais pas approuver.',
    recipient: 'Pour qui',
    'recipient.hint': 'Par exemple ada@example.org. C’est noté avec la réponse ; c’est vous qui envoyez le lien.',
    make: 'Créer le lien',
    made: 'Le lien est prêt.',
    'made.for': 'Le lien pour {name} est prêt.',
    copy: 'Copier le lien',
    share: 'Partager…',
    'share.title': 'Une question vous attend',
    until: 'Jusqu’à la réponse, et au plus tard :',
    holder:
      'Qui détient le lien peut répondre à cette seule question, et ne voit rien d’autre. Envoyez-le comme une clé.',
  },
);
