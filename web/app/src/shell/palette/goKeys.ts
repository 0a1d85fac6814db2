// G and a letter open a screen. The palette shows the letters beside the screens.
import { screens, type Screen } from '../screens';

export const letters: Record<Screen, string> = {
  home: 'H',
  chat: 'C',
  approvals: 'A',
  automations: 'O',
  data: 'D',
  runs: 'R',
  usage: 'U',
  settings: 'S',
  system: 'Y',
};

/** The screen for a letter typed after G. */
export const screenOf = (letter: string): Screen | undefined =>
  screens.find((screen) => letters[screen].toLowerCase() === letter.toLowerCase());
