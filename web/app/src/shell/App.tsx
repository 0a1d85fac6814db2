import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { $api } from '../api/client';
import { getKey, onKey } from '../api/key';
import { asProblem } from '../api/problem';
import { Page } from '../ui/Page';
import { texts as uiTexts } from '../ui/texts';
import { Announcements } from './announce';
import { ConnectionBar } from './Connection';
import { Guard } from './Guard';
import { Nav } from './Nav';
import { Notices } from './Notices';
import { queries } from './queries';
import { SignIn } from './SignIn';
import { texts } from './texts';
import { Title } from './Title';
import { useWaiting } from './useWaiting';
import { VersionBar } from './Version';

// Each screen is loaded when it is first shown.
const Home = lazy(() => import('../screens/home'));
const Chat = lazy(() => import('../screens/chat'));
const Approvals = lazy(() => import('../screens/approvals'));
const Automations = lazy(() => import('../screens/automations'));
const Runs = lazy(() => import('../screens/runs'));
const Timeline = lazy(() => import('../screens/timeline'));
const Data = lazy(() => import('../screens/data'));
const Usage = lazy(() => import('../screens/usage'));
const Settings = lazy(() => import('../screens/settings'));
const System = lazy(() => import('../screens/system'));

function Missing() {
  const t = texts.use();
  return <Page title={t('missing.title')}><p>{t('missing.text')}</p><p><Link href="/">{t('missing.home')}</Link></p></Page>;
}

/** The addresses of the page: `#/chat/ses_…`. What follows a screen's name is its own. */
function Screens() {
  const t = uiTexts.use();
  const [path] = useLocation();
  return (
    <Guard key={path.split('/')[1]}>
      <Suspense fallback={<p className="page muted">{t('loading')}</p>}>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/chat/:id?">{({ id }) => <Chat id={id} />}</Route>
          <Route path="/approvals" component={Approvals} />
          <Route path="/automations/*?" component={Automations} />
          <Route path="/runs" component={Runs} />
          <Route path="/timeline/:id">{({ id }) => <Timeline key={id} id={id} />}</Route>
          <Route path="/data/*?" component={Data} />
          <Route path="/usage" component={Usage} />
          <Route path="/settings/:section?">{({ section }) => <Settings section={section} />}</Route>
          <Route path="/system" component={System} />
          <Route component={Missing} />
        </Switch>
      </Suspense>
    </Guard>
  );
}

/** After a move to another screen the focus goes to its title, so that the keyboard and
 * a screen reader are where the eye is. */
function useFocusOnMove() {
  const [path] = useLocation();
  const before = useRef(path);
  useEffect(() => {
    if (before.current.split('/')[1] === path.split('/')[1]) return;
    before.current = path;
    const timer = setTimeout(() => {
      const active = document.activeElement;
      if (active && active !== document.body && active.closest('#main')) return; // the screen put it somewhere itself
      document.getElementById('page-title')?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }, 60);
    return () => clearTimeout(timer);
  }, [path]);
}

function Shell() {
  const t = texts.use();
  const waiting = useWaiting();
  useFocusOnMove();
  return (
    <>
      <a className="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main')?.focus(); }}>{t('skip')}</a>
      <ConnectionBar />
      <div className="frame">
        <Nav waiting={waiting} />
        <main id="main" tabIndex={-1}>
          <VersionBar />
          <Screens />
        </main>
      </div>
      <Notices />
      <Announcements />
      <Title waiting={waiting} />
    </>
  );
}

/** Whether the server wants a key that this tab does not have. */
function Door() {
  const key = useSyncExternalStore(onKey, getKey);
  const query = $api.useQuery('get', '/v1/settings');
  const locked = query.error && asProblem(query.error).status === 401;
  return locked ? <SignIn key={key} /> : <Shell />;
}

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router hook={useHashLocation}><Door /></Router>
    </QueryClientProvider>
  );
}
