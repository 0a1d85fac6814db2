import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { useAction } from '../../../ui/action';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { visible } from '../../../ui/visible';
import css from '../data.module.css';
import { makeExample } from './example';
import { useTools, useTypes, useZones } from '../read';
import { Search } from './Search';
import { Tabs } from '../Tabs';
import { texts } from '../texts';
import { NewTool } from '../tools/ToolForm';
import { ToolLine } from '../tools/ToolLine';
import { RecentlyDeleted } from '../undo/UndoBar';
import { ZoneForm } from '../zones/ZoneForm';

/** All zones with their tools. */
export function Overview() {
  const t = texts.use();
  const [, go] = useLocation();
  const [making, setMaking] = useState(false);
  const [word, setWord] = useState('');
  const zones = useZones();
  const member = useMay('member');
  return (
    <Page
      title={t('title')}
      actions={
        member && zones.data?.length ? (
          <button type="button" className="primary" onClick={() => setMaking(true)}>
            {t('zone.new')}
          </button>
        ) : undefined
      }
    >
      <Tabs />
      <Read query={zones}>
        {(list) => (
          <>
            <Search word={word} onWord={setWord} />
            {word.trim() === '' &&
              (list.length === 0 ? <First onMake={() => setMaking(true)} /> : <Zones zones={list} />)}
          </>
        )}
      </Read>
      <RecentlyDeleted />
      {making && (
        <ZoneForm
          onClose={() => setMaking(false)}
          onSaved={(zone) => {
            setMaking(false);
            go(`/data/zones/${zone.id}`);
          }}
        />
      )}
    </Page>
  );
}

function First({ onMake }: { onMake: () => void }) {
  const t = texts.use();
  const [, go] = useLocation();
  const example = useAction(async () => {
    go(`/data/tools/${await makeExample()}`);
  });
  return (
    <section className="card stack" aria-labelledby="first">
      <h2 id="first">{t('first.title')}</h2>
      <p>{t('first.text')}</p>
      {example.problem != null && <ProblemBox thrown={example.problem} />}
      <div className="row">
        <button type="button" className="primary" onClick={onMake}>
          {t('first.title')}
        </button>
        <button type="button" disabled={example.busy} onClick={() => void example.run()}>
          {t('first.example')}
        </button>
      </div>
      <p className="small muted">{t('first.example.text')}</p>
    </section>
  );
}

function Zones({ zones }: { zones: Schemas['Zone'][] }) {
  const tools = useTools();
  const types = useTypes();
  return (
    <>
      {tools.error ? <ProblemBox thrown={tools.error} onRetry={() => tools.refetch()} /> : null}
      <ul className={`plain ${css.zones}`}>
        {zones.map((zone) => (
          <ZoneCard
            key={zone.id}
            zone={zone}
            tools={tools.data?.filter((tool) => tool.zone_id === zone.id)}
            latest={(tools.data?.length ?? 0) <= 30}
            types={types.data ?? []}
          />
        ))}
      </ul>
    </>
  );
}

interface CardProps {
  zone: Schemas['Zone'];
  tools: Schemas['Tool'][] | undefined;
  latest: boolean;
  types: Schemas['ToolType'][];
}

function ZoneCard({ zone, tools, latest, types }: CardProps) {
  const t = texts.use();
  const [, go] = useLocation();
  const [making, setMaking] = useState(false);
  const member = useMay('member');
  return (
    <li className={css.zone} data-zone={zone.id}>
      <div className={css.zoneHead}>
        {zone.colour && <span className={css.dot} style={{ backgroundColor: zone.colour }} aria-hidden="true" />}
        <h2>
          <Link href={`/data/zones/${zone.id}`} className="clamp">
            <bdi>{visible(zone.name)}</bdi>
          </Link>
        </h2>
        {tools && <span className="meta">{tools.length ? t('zone.tools', { n: tools.length }) : t('zone.empty')}</span>}
        {zone.require_validation && (
          <span className="badge warn" title={t('validation.hint')}>
            {t('validation.badge')}
          </span>
        )}
        <span className="grow" />
        {member && (
          <button
            type="button"
            className="plain small"
            aria-label={`${t('tool.new')}: ${zone.name.slice(0, 80)}`}
            onClick={() => setMaking(true)}
          >
            {t('tool.new')}
          </button>
        )}
      </div>
      {tools && tools.length > 0 && (
        <ul className={`plain ${css.tools}`}>
          {tools.map((tool) => (
            <ToolLine
              key={tool.id}
              tool={tool}
              latest={latest}
              type={types.find((type) => type.id === tool.tool_type)}
            />
          ))}
        </ul>
      )}
      {making && (
        <NewTool zone={zone.id} onClose={() => setMaking(false)} onSaved={(tool) => go(`/data/tools/${tool.id}`)} />
      )}
    </li>
  );
}
