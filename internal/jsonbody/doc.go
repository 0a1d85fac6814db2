// Package jsonbody reads untrusted JSON: bodies of requests and webhooks, and output of models. It needs
// time and memory linear in the input, defines all limits in one table, and reports a bounded number of
// mistakes.
package jsonbody
