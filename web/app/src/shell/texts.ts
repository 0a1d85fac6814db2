import { defineTexts } from '../i18n/texts';

export const texts = defineTexts({
  skip: 'Skip to the content', menu: 'Menu', 'nav.label': 'Screens',
  'nav.home': 'Home', 'nav.chat': 'Chat', 'nav.approvals': 'Approvals', 'nav.automations': 'Automations', 'nav.runs': 'Runs',
  'nav.data': 'Data', 'nav.usage': 'Usage', 'nav.settings': 'Settings', 'nav.system': 'System',
  waiting: { one: '{n} waits for you', other: '{n} wait for you' },
  language: 'Langue : français', theme: 'Theme', 'theme.system': 'as the system', 'theme.light': 'light', 'theme.dark': 'dark', 'sign.out': 'Sign out',
  'net.lost': 'Connection lost. It is being made again; nothing is lost.', 'net.offline': 'You are offline. What you write is kept.',
  'version.other': 'The server runs another version now. What you have written is kept when you load the page again.', 'version.reload': 'Load again',
  'signin.title': 'Sign in', 'signin.text': 'This server asks for an API key. It is kept in this tab only.', 'signin.key': 'API key', 'signin.send': 'Sign in', 'signin.wrong': 'This key is not valid.',
  'notice.close': 'Close this notice', 'notice.region': 'Notices',
  'missing.title': 'There is nothing here', 'missing.text': 'The address may be mistyped, or what it named is gone.', 'missing.home': 'To the start page',
  'broken.title': 'This screen broke', 'broken.text': 'The rest of the page works on. Nothing that was saved is lost.',
  'note.title': 'Fermata waits for you',
}, {
  skip: 'Aller au contenu', menu: 'Menu', 'nav.label': 'Écrans',
  'nav.home': 'Accueil', 'nav.chat': 'Conversations', 'nav.approvals': 'Approbations', 'nav.automations': 'Automatisations', 'nav.runs': 'Exécutions',
  'nav.data': 'Données', 'nav.usage': 'Consommation', 'nav.settings': 'Réglages', 'nav.system': 'Système',
  waiting: { one: '{n} vous attend', other: '{n} vous attendent' },
  language: 'Language: English', theme: 'Thème', 'theme.system': 'celui du système', 'theme.light': 'clair', 'theme.dark': 'sombre', 'sign.out': 'Se déconnecter',
  'net.lost': 'Connexion perdue. Elle se rétablit ; rien n’est perdu.', 'net.offline': 'Vous êtes hors ligne. Ce que vous écrivez est conservé.',
  'version.other': 'Le serveur est passé à une autre version. Ce que vous avez écrit est conservé quand vous rechargez la page.', 'version.reload': 'Recharger',
  'signin.title': 'Connexion', 'signin.text': 'Ce serveur demande une clé d’API. Elle n’est conservée que dans cet onglet.', 'signin.key': 'Clé d’API', 'signin.send': 'Se connecter', 'signin.wrong': 'Cette clé n’est pas valable.',
  'notice.close': 'Fermer cet avis', 'notice.region': 'Avis',
  'missing.title': 'Il n’y a rien ici', 'missing.text': 'L’adresse est peut-être fautive, ou ce qu’elle désignait n’existe plus.', 'missing.home': 'Vers l’accueil',
  'broken.title': 'Cet écran s’est cassé', 'broken.text': 'Le reste de la page fonctionne. Rien de ce qui était enregistré n’est perdu.',
  'note.title': 'Fermata vous attend',
});
