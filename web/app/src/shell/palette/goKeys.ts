// G and a letter go to a screen. The letters stand in the palette beside the screens.
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

/** The screen of a letter that was typed after G. */
export const screenOf = (letter: string): Screen | undefined =>
  screens.find((screen) => letters[screen].toLowerCase() === letter.toLowerCase());
