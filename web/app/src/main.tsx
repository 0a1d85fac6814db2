import { createRoot } from 'react-dom/client';
import { App } from './shell/App';
import './ui/base.css';
import './shell/shell.css';

createRoot(document.getElementById('root')!).render(<App />);
