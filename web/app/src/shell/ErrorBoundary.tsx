import { Component, useEffect, type ReactNode } from 'react';
import { useConnection } from '../events/react';
import { ProblemBox } from '../ui/Problem';
import { texts as uiTexts } from '../ui/texts';
import { reloadOnce, Unloaded } from './screen';
import { texts } from './texts';

/** Keeps an error in one screen from breaking the whole page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { thrown: unknown }> {
  state = { thrown: null as unknown };
  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }
  render() {
    if (this.state.thrown === null) return this.props.children;
    if (this.state.thrown instanceof Unloaded) return <NotFetched />;
    return (
      <div className="page stack">
        <h1>{texts.t('broken.title')}</h1>
        <p>{texts.t('broken.text')}</p>
        <ProblemBox thrown={this.state.thrown} onRetry={() => this.setState({ thrown: null })} />
      </div>
    );
  }
}

/** The server was unreachable when the screen was loaded. Once it is back, the page reloads itself. */
function NotFetched() {
  const t = texts.use();
  const tu = uiTexts.use();
  const { state } = useConnection();
  useEffect(() => {
    if (state === 'open') reloadOnce();
  }, [state]);
  return (
    <div className="page stack" data-unloaded>
      <h1>{t('unloaded.title')}</h1>
      <p>{t('unloaded.text')}</p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          {tu('retry')}
        </button>
      </p>
    </div>
  );
}
