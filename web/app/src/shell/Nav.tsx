import {
  Activity,
  CalendarClock,
  ChartNoAxesColumn,
  Database,
  Ellipsis,
  History,
  House,
  Inbox,
  LogOut,
  MessageSquare,
  PanelLeftClose,
  PanelLeftOpen,
  Search,
  Settings,
  type LucideIcon,
} from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { signOut, useMay, useMe } from '../api/me';
import { useAction } from '../ui/action';
import { Dialog } from '../ui/Dialog';
import { Icon } from '../ui/Icon';
import { ProblemBox } from '../ui/Problem';
import { setFolded, useFolded } from './folded';
import { Mark } from './Mark';
import { show } from './palette/overlay';
import { first, pathOf, screens, second, type Screen } from './screens';
import { texts } from './texts';
import { useTroubles } from './troubles';
import { WorkspaceChooser } from './Workspace';

const icons: Record<Screen, LucideIcon> = {
  home: House,
  chat: MessageSquare,
  approvals: Inbox,
  automations: CalendarClock,
  data: Database,
  runs: History,
  usage: ChartNoAxesColumn,
  settings: Settings,
  system: Activity,
};

const key = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** The screen of an address; tasks and timelines belong to runs. */
function useHere(): Screen | undefined {
  const [path] = useLocation();
  const at = /^\/(tasks|timeline)(\/|$)/.test(path) ? '/runs' : path;
  return screens.find((s) => (s === 'home' ? at === '/' : at === `/${s}` || at.startsWith(`/${s}/`)));
}

/** The menu: at the side, or at the bottom of a narrow page. */
export const Nav = ({ narrow, waiting }: { narrow?: boolean; waiting: number }) =>
  narrow ? <Bar waiting={waiting} /> : <Side waiting={waiting} />;

interface ItemProps {
  screen: Screen;
  here: boolean;
  waiting: number;
  /** For narrow pages. */
  short?: boolean;
  onUsed?: () => void;
}

/** A screen, with the number of pending items. */
function Item({ screen, here, waiting, short, onUsed }: ItemProps) {
  const t = texts.use();
  const folded = useFolded();
  const troubles = useTroubles();
  const counts: Partial<Record<Screen, [number, string]>> = {
    approvals: [waiting, t('waiting', { n: waiting })],
    automations: [troubles.automations.length, t('troubled', { n: troubles.automations.length })],
    chat: [troubles.chats.length, t('unanswered', { n: troubles.chats.length })],
  };
  const [n, said] = counts[screen] ?? [0, ''];
  return (
    <Link
      href={pathOf(screen)}
      className="nav-item"
      aria-current={here ? 'page' : undefined}
      onClick={onUsed}
      title={folded ? t(`nav.${screen}`) : undefined}
    >
      <Icon of={icons[screen]} />
      <span className="nav-name">{short && screen === 'chat' ? t('nav.chat.short') : t(`nav.${screen}`)}</span>
      {n > 0 && (
        <span className={`badge count ${screen === 'approvals' ? 'warn' : 'bad'}`}>
          <span aria-hidden="true">{n > 99 ? '99+' : n}</span>
          <span className="visually-hidden">{said}</span>
        </span>
      )}
    </Link>
  );
}

function Side({ waiting }: { waiting: number }) {
  const t = texts.use();
  const here = useHere();
  const admin = useMay('admin');
  const folded = useFolded();
  const list = (screens: readonly Screen[]) => (
    <ul className="plain">
      {screens.map((screen) => (
        <li key={screen}>
          <Item screen={screen} here={screen === here} waiting={waiting} />
        </li>
      ))}
    </ul>
  );
  return (
    <nav id="nav" className="side" aria-label={t('nav.label')}>
      <div className="side-in">
        <p className="brand">
          <Mark />
          <span className="nav-name">Fermata</span>
        </p>
        {!folded && <WorkspaceChooser />}
        <Button icon={Search} name={t('palette')} hint={`${t('palette')} (${key})`} onClick={() => show('palette')}>
          <kbd aria-hidden="true">{key}</kbd>
        </Button>
        {list(first)}
        {list(second.filter((s) => admin || s !== 'system'))}
        <div className="foot">
          <Who />
          <Button
            icon={folded ? PanelLeftOpen : PanelLeftClose}
            name={t(folded ? 'menu.unfold' : 'menu.fold')}
            onClick={() => setFolded(!folded)}
          />
        </div>
      </div>
    </nav>
  );
}

interface ButtonProps {
  icon: LucideIcon;
  name: string;
  hint?: string;
  onClick: () => void;
  disabled?: boolean;
  children?: ReactNode;
}

/** An action in the menu, drawn like its screens. */
const Button = ({ icon, name, hint, onClick, disabled, children }: ButtonProps) => (
  <button type="button" className="plain nav-item" title={hint ?? name} disabled={disabled} onClick={onClick}>
    <Icon of={icon} />
    <span className="nav-name">{name}</span>
    {children}
  </button>
);

/** The bar at the bottom of a narrow page; other screens are under More. */
function Bar({ waiting }: { waiting: number }) {
  const t = texts.use();
  const here = useHere();
  const [open, setOpen] = useState(false);
  const shown = ['home', 'chat', 'approvals'] as const;
  const beyond = here !== undefined && !shown.some((s) => s === here);
  return (
    <nav id="nav" className="bar" aria-label={t('nav.label')}>
      <ul className="plain">
        {shown.map((screen) => (
          <li key={screen}>
            <Item screen={screen} here={screen === here} waiting={waiting} short />
          </li>
        ))}
        <li>
          <button
            type="button"
            className="plain nav-item"
            aria-haspopup="dialog"
            data-here={beyond || undefined}
            onClick={() => setOpen(true)}
          >
            <Icon of={Ellipsis} />
            <span className="nav-name">{t('more')}</span>
          </button>
        </li>
      </ul>
      {open && <More here={here} waiting={waiting} onClose={() => setOpen(false)} />}
    </nav>
  );
}

function More({ here, waiting, onClose }: { here: Screen | undefined; waiting: number; onClose: () => void }) {
  const t = texts.use();
  const admin = useMay('admin');
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector('a')?.focus(), []); // a dialog focuses its first button
  const rest = screens.slice(3).filter((s) => admin || s !== 'system');
  return (
    <Dialog title={t('more')} onClose={onClose}>
      <ul className="plain more" ref={list}>
        {rest.map((screen) => (
          <li key={screen}>
            <Item screen={screen} here={screen === here} waiting={waiting} onUsed={onClose} />
          </li>
        ))}
        <li>
          <Button
            icon={Search}
            name={t('palette')}
            onClick={() => {
              onClose();
              show('palette');
            }}
          />
        </li>
        <li>
          <WorkspaceChooser />
        </li>
        <li>
          <Who onUsed={onClose} />
        </li>
      </ul>
    </Dialog>
  );
}

/** The signed-in person, and sign-out. */
function Who({ onUsed }: { onUsed?: () => void }) {
  const t = texts.use();
  const me = useMe().data;
  const leave = useAction(signOut);
  if (!me?.session) return null;
  const role = t(`role.${me.role}`);
  return (
    <>
      <Link href="/settings/you" className="who" onClick={onUsed} data-who={me.id}>
        <bdi className="clamp">{me.name || role}</bdi>
        {me.name && <span className="meta">{role}</span>}
      </Link>
      <Button icon={LogOut} name={t('sign.out')} disabled={leave.busy} onClick={() => void leave.run()} />
      {leave.problem != null && <ProblemBox thrown={leave.problem} />}
    </>
  );
}
