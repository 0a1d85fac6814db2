import { useMe } from '../api/me';
import { chooseWorkspace } from '../api/workspace';
import { visible } from '../ui/visible';
import { texts } from './texts';

/** The workspace chooser, for readers with access to several. */
export function WorkspaceChooser() {
  const t = texts.use();
  const me = useMe().data;
  if (!me || me.workspaces.length < 2) return null;
  return (
    <select
      className="workspace"
      aria-label={t('workspace')}
      title={t('workspace')}
      value={me.workspace}
      onChange={(e) => chooseWorkspace(e.target.value)}
    >
      {me.workspaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {visible(name || id).slice(0, 80)}
        </option>
      ))}
    </select>
  );
}
