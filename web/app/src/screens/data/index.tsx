import { useLocation } from 'wouter';
import { DocumentPage } from './documents/Document';
import { Documents } from './documents/Documents';
import { Overview } from './overview/Overview';
import { ToolPage } from './tools/Tool';
import { Types } from './types/Types';
import { UndoBar } from './undo/UndoBar';
import { ZonePage } from './zones/Zone';
import css from './data.module.css';

function Screen({ kind, id, more }: { kind: string; id: string; more: string }) {
  if (kind === 'zones' && id) return <ZonePage key={id} id={id} />;
  if (kind === 'tools' && id) return <ToolPage key={id} id={id} entry={more} />;
  if (kind === 'documents') return id ? <DocumentPage key={id} id={id} /> : <Documents />;
  if (kind === 'types') return <Types />;
  return <Overview />;
}

function decode(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  } // a mistyped address
}

/** The user's data: `/data`, `/data/zones/…`, `/data/tools/…/entry`, `/data/documents/…`, `/data/types`. */
export default function Data() {
  const [, , kind, id, more] = useLocation()[0].split('/').map(decode);
  return (
    <>
      <Screen kind={kind ?? ''} id={id ?? ''} more={more ?? ''} />
      <div className={css.bar}>
        <UndoBar />
      </div>
    </>
  );
}
