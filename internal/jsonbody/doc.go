// Package jsonbody is the one reader of JSON that comes from outside: bodies of
// requests and webhooks, and what a model writes. It reads in time and memory linear in
// the bytes, keeps every ceiling in one table, and tells mistakes in a bounded answer.
package jsonbody
