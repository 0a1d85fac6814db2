import { createRoot } from 'react-dom/client';
import { App } from './shell/App';
import './ui/tokens.css';
import './ui/base.css';
import './ui/controls.css';
import './ui/pieces.css';
import './shell/shell.css';
import './ui/print.css';

createRoot(document.getElementById('root')!).render(<App />);
