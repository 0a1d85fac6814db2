/** The request as a command line. The key is a placeholder, never the value. */
export function curl(url: string, keyed: boolean): string {
  const key = keyed ? ' -H "Authorization: Bearer $FERMATA_KEY"' : '';
  return `curl -s${key} '${url.replaceAll("'", "'\\''")}'`;
}
