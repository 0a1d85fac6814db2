// Package web serves the page at "/". Its source is in app/ (React, TypeScript), Vite
// builds it into dist/, and the server embeds the result: the browser never sends requests
// to other hosts. Without a build, a page that explains how to build it is served.
package web
