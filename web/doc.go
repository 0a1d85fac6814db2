// Package web holds the page that people see at "/". Its source is in app/ (React,
// TypeScript), Vite builds it into dist/, and the server embeds and serves what is there:
// a browser never asks another host for anything. Without a build there is a page that
// says so.
package web
