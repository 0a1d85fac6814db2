// The commands of the palette, other than navigation.
import { signOut, useMe } from '../../api/me';
import { chooseWorkspace } from '../../api/workspace';
import { getLang, setLang } from '../../i18n/lang';
import { useLang } from '../../i18n/texts';
import { toast } from '../../ui/toast';
import { setFolded, useFolded } from '../folded';
import { setTheme, useTheme, type Theme } from '../theme';
import { useNarrow } from '../useNarrow';
import { show } from './overlay';
import type { Target } from './rank';
import { texts } from './texts';

const themes = ['light', 'dark', 'system'] as const;

function choose(theme: Theme, before: Theme): void {
  setTheme(theme);
  toast(texts.t(`theme.${theme}.set`), () => setTheme(before));
}

/** The commands, except those that would change nothing. */
export function useCommands(waiting: number): Target[] {
  const t = texts.use();
  const theme = useTheme();
  const lang = useLang();
  const folded = useFolded();
  const narrow = useNarrow();
  const me = useMe().data;
  const other = lang === 'en' ? 'fr' : 'en';
  const command = (id: string, name: string, act: () => void, more: Partial<Target> = {}): Target => ({
    id: `do-${id}`,
    group: 'commands',
    name,
    act,
    ...more,
  });
  return [
    ...(waiting > 0
      ? [{ id: 'do-approve', group: 'commands', name: t('do.approve', { n: waiting }), href: '/approvals/all' }]
      : []),
    ...themes
      .filter((one) => one !== theme)
      .map((one) =>
        command(`theme-${one}`, t(`theme.${one}`), () => choose(one, theme), { also: t(`theme.${one}.also`) }),
      ),
    command(
      'language',
      t('do.language'),
      () => {
        const before = getLang();
        setLang(other);
        toast(texts.t('do.language.set'), () => setLang(before));
      },
      { also: t('do.language.also') },
    ),
    ...(narrow ? [] : [command('menu', t(folded ? 'do.unfold' : 'do.fold'), () => setFolded(!folded))]),
    ...(me?.workspaces ?? [])
      .filter(({ id }) => id !== me?.workspace)
      .map(({ id, name }) =>
        command(`workspace-${id}`, t('do.workspace', { name: name || id }), () => chooseWorkspace(id), {
          also: t('do.workspace.also'),
        }),
      ),
    command('keys', t('keys'), () => show('keys'), { keys: '?' }),
    ...(me?.session ? [command('sign-out', t('do.sign.out'), () => void signOut())] : []),
  ];
}
