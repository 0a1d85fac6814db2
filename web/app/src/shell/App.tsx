import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { $api } from '../api/client';
import { asProblem } from '../api/problem';
import { Page } from '../ui/Page';
import { texts as uiTexts } from '../ui/texts';
import { Announcements } from './announce';
import { ConnectionBar } from './Connection';
import { ErrorBoundary } from './ErrorBoundary';
import { Nav } from './Nav';
import { Notices } from './Notices';
import { GlobalKeys } from './palette/GlobalKeys';
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
const Tasks = lazy(() => import('../screens/tasks'));
const Timeline = lazy(() => import('../screens/timeline'));
const Data = lazy(() => import('../screens/data'));
const Usage = lazy(() => import('../screens/usage'));
const Settings = lazy(() => import('../screens/settings'));
const System = lazy(() => import('../screens/system'));

function Missing() {
  const t = texts.use();
  return (
    <Page title={t('missing.title')}>
      <p>{t('missing.text')}</p>
      <p>
        <Link href="/">{t('missing.home')}</Link>
      </p>
    </Page>
  );
}

/** The addresses of the page: `#/chat/ses_…`. What follows a screen's name is its own. */
function Screens() {
  const t = uiTexts.use();
  const [path] = useLocation();
  return (
    <ErrorBoundary key={path.split('/')[1]}>
      <Suspense
        fallback={
          <p className="page muted" data-loading>
            {t('loading')}
          </p>
        }
      >
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/chat/:id?">{({ id }) => <Chat id={id} />}</Route>
          <Route path="/approvals" component={Approvals} />
          <Route path="/automations/*?" component={Automations} />
          <Route path="/runs" component={Runs} />
          <Route path="/tasks/:status?">{({ status }) => <Tasks status={status} />}</Route>
          <Route path="/timeline/:id">{({ id }) => <Timeline key={id} id={id} />}</Route>
          <Route path="/data/*?" component={Data} />
          <Route path="/usage" component={Usage} />
          <Route path="/settings/:section?/:item?">
            {({ section, item }) => <Settings section={section} item={item} />}
          </Route>
          <Route path="/system" component={System} />
          <Route component={Missing} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

/** After a move to another screen the focus goes to its title, so that the keyboard and
 * a screen reader are where the eye is. The screen may still be loading then. */
function useFocusOnMove() {
  const screen = useLocation()[0].split('/')[1];
  const before = useRef(screen);
  useEffect(() => {
    if (before.current === screen) return undefined;
    before.current = screen;
    const main = document.getElementById('main')!;
    const watch = new MutationObserver(() => take());
    const take = () => {
      const title = main.querySelector('h1');
      const own = main.contains(document.activeElement); // the screen put it somewhere itself
      if (!title && !own) return;
      watch.disconnect();
      if (own) return;
      title!.tabIndex = -1;
      title!.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    };
    watch.observe(main, { childList: true, subtree: true });
    take();
    return () => watch.disconnect();
  }, [screen]);
}

function Shell() {
  const t = texts.use();
  const waiting = useWaiting();
  useFocusOnMove();
  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        {t('skip')}
      </a>
      <ConnectionBar />
      <div className="frame">
        <Nav waiting={waiting} />
        <main id="main" tabIndex={-1}>
          <VersionBar />
          <Screens />
        </main>
      </div>
      <GlobalKeys />
      <Notices />
      <Announcements />
      <Title waiting={waiting} />
    </>
  );
}

/** Whether the server wants a key that this tab does not have. */
function SignInGate() {
  const query = $api.useQuery('get', '/v1/settings');
  // Asking anew forgets the error for a moment; the form, and what is typed in it, stays.
  const [locked, setLocked] = useState(false);
  const refused = query.error !== null && asProblem(query.error).status === 401;
  if (!query.isPending && refused !== locked) setLocked(refused);
  return locked ? <SignIn /> : <Shell />;
}

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router hook={useHashLocation}>
        <SignInGate />
      </Router>
    </QueryClientProvider>
  );
}
