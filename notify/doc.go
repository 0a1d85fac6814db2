// Package notify sends notifications about open approvals to people, as email and as web pushes to
// their browsers. A recipient is a webhook row and is read, sent, recorded and taken over like one
// (docs/adr/0041): at least once, under the same ID in each attempt. This package writes and
// delivers the notifications.
package notify
