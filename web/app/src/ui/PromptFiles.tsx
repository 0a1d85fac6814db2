import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { defineTexts } from '../i18n/texts';
import { visible } from './visible';

export const promptFiles = defineTexts(
  {
    title: 'Files before the AI',
    latest: 'Files before the AI at its latest answer:',
    open: { one: '{n} file before the AI', other: '{n} files before the AI' },
    'as.picture': 'seen as a picture',
    'as.text': 'read as text',
    'as.reference': 'by name only',
    'why.deleted': 'by name only: deleted',
    'why.model_cannot_see': 'by name only: this model sees no pictures',
    'why.earlier_round': 'by name only: seen earlier; send it again to have it seen again',
    'why.too_large': 'by name only: the pictures were too large together',
    'why.cut': 'read in part: too long',
    tokens: { one: 'about {count} token', other: 'about {count} tokens' },
    older: { one: 'and {n} older one', other: 'and {n} older ones' },
  },
  {
    title: 'Fichiers devant l’IA',
    latest: 'Fichiers devant l’IA lors de sa dernière réponse :',
    open: { one: '{n} fichier devant l’IA', other: '{n} fichiers devant l’IA' },
    'as.picture': 'vu comme image',
    'as.text': 'lu comme texte',
    'as.reference': 'par son nom seul',
    'why.deleted': 'par son nom seul : supprimé',
    'why.model_cannot_see': 'par son nom seul : ce modèle ne voit pas les images',
    'why.earlier_round': 'par son nom seul : déjà vu ; renvoyez-le pour qu’il soit revu',
    'why.too_large': 'par son nom seul : images trop lourdes ensemble',
    'why.cut': 'lu en partie : trop long',
    tokens: { one: 'environ {count} jeton', other: 'environ {count} jetons' },
    older: { one: 'et {n} plus ancien', other: 'et {n} plus anciens' },
  },
);

interface Props {
  files: readonly Schemas['PromptFile'][];
  older?: number;
}

/** The files in the prompt of an answer: shown, read or only named, and the tokens of each. */
export function PromptFiles({ files, older = 0 }: Props) {
  const t = promptFiles.use();
  const f = useFormat();
  return (
    <ul className="plain small" aria-label={t('title')} data-prompt-files="">
      {files.map((file) => (
        <li key={file.id} data-as={file.as}>
          <bdi>{visible(file.name)}</bdi>{' '}
          <span className="muted">
            {t(file.why ? `why.${file.why}` : `as.${file.as}`)} ·{' '}
            {t('tokens', { n: file.tokens, count: f.number(file.tokens) })}
          </span>
        </li>
      ))}
      {older > 0 && <li className="muted">{t('older', { n: older })}</li>}
    </ul>
  );
}
