// Package web holds the page that people see at "/": files that the server embeds and
// serves itself, so that a browser never asks another host for anything.
package web
