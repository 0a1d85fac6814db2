import { defineTexts } from '../../i18n/texts';

export const texts = defineTexts(
  {
    devices: 'Your devices',
    'devices.text':
      'A device shows what needs your attention, even when this page is closed. Signing out there turns it off.',
    'devices.none': 'No devices yet.',
    start: 'Notify me on this device',
    stop: 'Stop notifications on this device',
    'able.install':
      'On an iPhone or iPad, add this page to the Home Screen first (Share, then Add to Home Screen), and open it from there.',
    'able.insecure': 'Not available here: it needs https, or this machine’s own address.',
    'able.unsupported': 'This browser cannot show notifications while the page is closed.',
    'able.denied': 'Blocked. Allow notifications for this address in your browser’s settings, and come back.',
    device: 'A device',
    this: 'this one',
    failing: 'not reached',
    since: 'added',
    told: 'last notified',
    test: 'Test',
    'test.runs': 'Testing…',
    'test.of': 'Test: {name}',
    'test.ok': 'Sent: the push service took it in {time}.',
    'test.failed': 'Not sent: {detail}.',
    remove: 'Remove',
    'remove.of': 'Remove: {name}',
  },
  {
    devices: 'Vos appareils',
    'devices.text':
      'Un appareil est prévenu de ce qui vous attend, même quand cette page est fermée. Cela cesse quand vous vous y déconnectez.',
    'devices.none': 'Aucun appareil pour l’instant.',
    start: 'Me prévenir sur cet appareil',
    stop: 'Ne plus me prévenir ici',
    'able.install':
      'Sur iPhone ou iPad, ajoutez d’abord cette page à l’écran d’accueil (Partager, puis Sur l’écran d’accueil), et ouvrez-la de là.',
    'able.insecure': 'Indisponible ici : il faut https, ou l’adresse propre de cette machine.',
    'able.unsupported': 'Ce navigateur ne peut pas être prévenu quand la page est fermée.',
    'able.denied':
      'Bloqué. Autorisez les notifications pour cette adresse dans les réglages du navigateur, puis revenez.',
    device: 'Un appareil',
    this: 'celui-ci',
    failing: 'injoignable',
    since: 'ajouté',
    told: 'dernière notification',
    test: 'Tester',
    'test.runs': 'Essai en cours…',
    'test.of': 'Tester : {name}',
    'test.ok': 'Envoyé : le service l’a pris en {time}.',
    'test.failed': 'Pas envoyé : {detail}.',
    remove: 'Retirer',
    'remove.of': 'Retirer : {name}',
  },
);
