/** The name of a connector's command in words: "Render trailer" for STUDIO.RENDER_TRAILER. */
export function commandName(command: string): string {
  const own = command.slice(command.indexOf('.') + 1).replace(/[_.-]+/g, ' ');
  const words = own === own.toUpperCase() ? own.toLowerCase() : own;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
