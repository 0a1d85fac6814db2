import { defineTexts } from '../i18n/texts';

export const texts = defineTexts(
  {
    title: 'Sign in',
    text: 'Enter an API key of this server. The browser keeps a cookie, not the key.',
    oidc: 'Sign in with {issuer}',
    'by.key': 'Use an API key instead',
    failed: 'Sign-in failed. Try again, or ask the administrator of this server.',
    no_issuer: 'This way of signing in is not set up here. Use a key.',
    issuer_unavailable: 'The sign-in service isn’t answering. Try again in a moment, or use a key.',
    sign_in_lost: 'This sign-in has expired or was started in another browser. Sign in again.',
    sign_in_refused: 'The sign-in service refused. Nothing was changed.',
    token_invalid:
      'The sign-in service’s answer can’t be trusted. Nothing was changed. Contact the administrator of this server.',
    token_expired: 'The sign-in took too long. Sign in again. If it keeps failing, a server clock is wrong.',
    token_not_yet_valid:
      'A server clock is wrong, so the sign-in can’t be checked. Contact the administrator of this server.',
    not_admitted: 'You are signed in, but have no access here. Ask the person who manages accounts.',
    rate_limited: 'Too many attempts. Wait a moment, then try again.',
    request: 'Request',
    key: 'API key',
    send: 'Sign in',
    wrong: 'That key isn’t valid.',
  },
  {
    title: 'Connexion',
    text: 'Saisissez une clé d’API de ce serveur. Le navigateur garde un cookie, pas la clé.',
    oidc: 'Se connecter avec {issuer}',
    'by.key': 'Utiliser plutôt une clé d’API',
    failed: 'La connexion a échoué. Réessayez, ou demandez à la personne qui gère ce serveur.',
    no_issuer: 'Ce mode de connexion n’est pas configuré ici. Utilisez une clé.',
    issuer_unavailable: 'Le service de connexion ne répond pas. Réessayez dans un instant, ou utilisez une clé.',
    sign_in_lost: 'Cette connexion a expiré ou a commencé dans un autre navigateur. Recommencez.',
    sign_in_refused: 'Le service de connexion a refusé. Rien n’a été modifié.',
    token_invalid:
      'La réponse du service de connexion n’est pas fiable. Rien n’a été modifié. Prévenez la personne qui gère ce serveur.',
    token_expired:
      'La connexion a pris trop de temps. Recommencez. Si l’échec persiste, l’horloge d’un serveur est fausse.',
    token_not_yet_valid:
      'L’horloge d’un serveur est fausse : la connexion ne peut être vérifiée. Prévenez la personne qui gère ce serveur.',
    not_admitted: 'Vous êtes identifié, mais sans accès ici. Demandez à la personne qui gère les comptes.',
    rate_limited: 'Trop d’essais. Attendez un instant, puis recommencez.',
    request: 'Requête',
    key: 'Clé d’API',
    send: 'Se connecter',
    wrong: 'Clé non valide.',
  },
);
