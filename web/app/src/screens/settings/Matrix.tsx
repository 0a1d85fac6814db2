import { useQueryClient } from '@tanstack/react-query';
import { $api, api, type Schemas } from '../../api/client';
import { useAction } from '../../ui/action';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import styles from './settings.module.css';
import { texts } from './texts';
import { useSettings } from './useSettings';

type Zone = Schemas['Zone'];
type Tool = Schemas['Tool'];

/** Which changes need approval: zones and their tools in one table. A higher row determines the rows below it. */
export function Matrix() {
  const t = texts.use();
  const settings = useSettings();
  const workspace = $api.useQuery('get', '/v1/settings').data?.require_validation ?? false;
  const zones = $api.useQuery('get', '/v1/zones', { params: { query: { limit: 200 } } });
  const tools = $api.useQuery('get', '/v1/tools', { params: { query: { limit: 200 } } });
  const queries = useQueryClient();
  const toggle = useAction(async (what: Zone | Tool) => {
    const body = { require_validation: !what.require_validation };
    const header = { 'If-Match': `"${what.version}"` };
    try {
      if ('zone_id' in what)
        await api.PATCH('/v1/tools/{tool_id}', { params: { path: { tool_id: what.id }, header }, body });
      else await api.PATCH('/v1/zones/{zone_id}', { params: { path: { zone_id: what.id }, header }, body });
    } finally {
      await queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[1] === '/v1/zones' || queryKey[1] === '/v1/tools',
      });
    }
  });
  const rows = (zones: Zone[], tools: Tool[]) =>
    zones.flatMap((zone) => [
      <Row
        key={zone.id}
        name={zone.name}
        what={zone}
        above={workspace ? t('matrix.by.workspace') : ''}
        busy={toggle.busy}
        onToggle={() => void toggle.run(zone)}
      />,
      ...tools
        .filter((tool) => tool.zone_id === zone.id)
        .map((tool) => (
          <Row
            key={tool.id}
            name={tool.name}
            what={tool}
            inner
            above={workspace ? t('matrix.by.workspace') : zone.require_validation ? t('matrix.by.zone') : ''}
            busy={toggle.busy}
            onToggle={() => void toggle.run(tool)}
          />
        )),
    ]);
  if (!settings.data) return null; // it is placed below them and appears with them
  return (
    <section className="stack tight">
      <h3>{t('matrix')}</h3>
      <p className="muted small">{t('matrix.text')}</p>
      {toggle.problem != null && <ProblemBox thrown={toggle.problem} onClose={toggle.clear} />}
      <Read query={zones}>
        {(z) =>
          z.data.length === 0 ? (
            <Empty>{t('matrix.empty')}</Empty>
          ) : (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t('matrix.what')}</th>
                    <th scope="col">{t('matrix.asks')}</th>
                    <th scope="col">{t('matrix.effect')}</th>
                  </tr>
                </thead>
                <tbody>{rows(z.data, tools.data?.data ?? [])}</tbody>
              </table>
            </div>
          )
        }
      </Read>
    </section>
  );
}

function Row({
  name,
  what,
  inner,
  above,
  busy,
  onToggle,
}: {
  name: string;
  what: Zone | Tool;
  inner?: boolean;
  above: string;
  busy: boolean;
  onToggle: () => void;
}) {
  const t = texts.use();
  return (
    <tr data-id={what.id}>
      <th scope="row" className={inner ? styles.inner : styles.outer}>
        <span className="clamp">{name}</span>
      </th>
      <td>
        <input
          type="checkbox"
          aria-label={t('matrix.of', { name: name.slice(0, 80) })}
          checked={what.require_validation}
          disabled={busy}
          onChange={onToggle}
        />
      </td>
      <td className="small">{above || (what.require_validation ? t('matrix.yes') : t('matrix.no'))}</td>
    </tr>
  );
}
