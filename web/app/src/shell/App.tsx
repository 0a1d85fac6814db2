import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { useMe } from '../api/me';
import { asProblem } from '../api/problem';
import { greet, knownLocal, notLocal, onRefused } from '../api/who';
import { begin } from '../events/client';
import { isSubscribed, keepShell, onOpened } from '../worker/register';
import { Page } from '../ui/Page';
import { Skeleton } from '../ui/Skeleton';
import { whenIdle } from '../ui/whenIdle';
import { Announcements } from './announce';
import { ConnectionBar } from './Connection';
import { ErrorBoundary } from './ErrorBoundary';
import { Nav } from './Nav';
import { GlobalKeys } from './palette/GlobalKeys';
import { queries } from './queries';
import { preloadAll, screen } from './screen';
import { texts } from './texts';
import { Title } from './Title';
import { Toasts } from './Toasts';
import { TroubleWatch } from './troubles';
import { useNarrow } from './useNarrow';
import { useWaiting } from './useWaiting';
import { VersionBar } from './Version';

const SignIn = lazy(() => import('./SignIn'));

// Each screen is loaded when it is first shown, or when the page is idle.
const Home = screen(() => import('../screens/home'));
const Chat = screen(() => import('../screens/chat'));
const Approvals = screen(() => import('../screens/approvals'));
const Automations = screen(() => import('../screens/automations'));
const Runs = screen(() => import('../screens/runs'));
const Tasks = screen(() => import('../screens/tasks'));
const Timeline = screen(() => import('../screens/timeline'));
const Data = screen(() => import('../screens/data'));
const Usage = screen(() => import('../screens/usage'));
const Settings = screen(() => import('../screens/settings'));
const System = screen(() => import('../screens/system'));

/** Loads the other screens when the page is idle. */
function usePreload() {
  useEffect(() => {
    // After the data of the first screen. The service worker caches the files.
    const timer = setTimeout(() => {
      whenIdle(() => {
        preloadAll();
        keepShell();
        if (isSubscribed()) void import('../worker/push').then(({ renew }) => renew()).catch(() => {});
      });
    }, 3000);
    return () => clearTimeout(timer);
  }, []);
}

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

/** Shown while a screen loads. */
const Coming = () => (
  <div className="page stack">
    <div className="skeleton coming" />
    <Skeleton each="card" />
  </div>
);

/** The addresses of the page: `#/chat/ses_…`. What follows a screen's name is its own. */
function Screens() {
  const [path] = useLocation();
  return (
    <ErrorBoundary key={path.split('/')[1]}>
      <Suspense fallback={<Coming />}>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/chat/:id?">{({ id }) => <Chat id={id} />}</Route>
          <Route path="/approvals/:id?">{({ id }) => <Approvals id={id} />}</Route>
          <Route path="/automations/*?" component={Automations} />
          <Route path="/runs/*?" component={Runs} />
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

/** After navigation the focus moves to the screen's title, for keyboards and screen readers. The screen may still be
 * loading then. */
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
      const own = main.contains(document.activeElement); // the screen has moved the focus itself
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

/** The skip link: to the message field, if there is one, else to the content. */
function Skip() {
  const t = texts.use();
  const chat = /^\/chat(\/|$)/.test(useLocation()[0]);
  return (
    <a
      className="skip"
      href="#main"
      onClick={(e) => {
        e.preventDefault();
        const field = chat ? document.getElementById('message') : null;
        (field ?? document.getElementById('main'))?.focus();
      }}
    >
      {t(chat ? 'skip.message' : 'skip')}
    </a>
  );
}

/** A click on a notification opens its subject. */
function useOpened() {
  useEffect(
    () =>
      onOpened((url) => {
        location.hash = new URL(url, location.origin).hash;
      }),
    [],
  );
}

function Shell() {
  const waiting = useWaiting();
  const narrow = useNarrow();
  useOpened();
  useFocusOnMove();
  usePreload();
  return (
    <>
      <Skip />
      <ConnectionBar />
      <div className="frame">
        {!narrow && <Nav waiting={waiting} />}
        <main id="main" tabIndex={-1}>
          <VersionBar />
          <Screens />
        </main>
        {narrow && <Nav narrow waiting={waiting} />}
      </div>
      <GlobalKeys />
      <Toasts />
      <TroubleWatch />
      <Announcements />
      <Title waiting={waiting} />
    </>
  );
}

/** Shows the sign-in form if the server does not know the reader. */
function SignInGate() {
  const me = useMe();
  const queryClient = useQueryClient();
  const [at, go] = useLocation();
  // A new request clears the error for a moment; the form and its input stay.
  const [locked, setLocked] = useState(false);
  const [greeted, setGreeted] = useState('');
  const refused = me.error !== null && asProblem(me.error).status === 401;
  if (!me.isPending && refused !== locked) setLocked(refused);
  // Whether the request succeeded or failed: without a server the page stays.
  const [asked, setAsked] = useState(false);
  if (!me.isPending && asked === refused) setAsked(!refused);
  if (me.data && me.data.id !== greeted) {
    greet(me.data.id); // before anything reads a draft
    setGreeted(me.data.id);
  }
  useEffect(() => onRefused(() => void queryClient.invalidateQueries({ queryKey: ['get', '/v1/me'] })), [queryClient]);
  const inside = !locked && !me.isPending;
  // The stream waits for this too; without a response it shows that the server is unreachable.
  const away = me.failureReason !== null && asProblem(me.failureReason).status !== 401;
  const connects = inside || away || knownLocal();
  useEffect(() => {
    if (locked) notLocal();
    else if (connects) begin();
  }, [locked, connects]);
  useEffect(() => {
    if (inside && at.startsWith('/sign-in')) go('/', { replace: true });
  }, [inside, at, go]);
  if (locked)
    return (
      <Suspense fallback={null}>
        <SignIn onDone={() => queryClient.resetQueries()} />
      </Suspense>
    );
  // The reader is not known yet, and drafts and requests wait for that. A slow response is announced.
  return me.isPending && !asked && !knownLocal() ? <ConnectionBar /> : <Shell />;
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
