import { Component, type ReactNode } from 'react';
import { ProblemBox } from '../ui/Problem';
import { texts } from './texts';

/** Keeps an error in one screen from breaking the whole page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { thrown: unknown }> {
  state = { thrown: null as unknown };
  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }
  render() {
    if (this.state.thrown === null) return this.props.children;
    return (
      <div className="page stack">
        <h1>{texts.t('broken.title')}</h1>
        <p>{texts.t('broken.text')}</p>
        <ProblemBox thrown={this.state.thrown} onRetry={() => this.setState({ thrown: null })} />
      </div>
    );
  }
}
