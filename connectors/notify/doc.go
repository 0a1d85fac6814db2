// Package notify tells people of what waits for them: by mail, and by pushes to their
// browsers. Who is told is a row among the webhooks, read, sent, recorded and taken over as those are
// (docs/adr/0041): at least once, under the same name at each try. This package says what is
// told, and takes it there.
package notify
