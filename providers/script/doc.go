// Package script is a provider with scripted answers, for tests, demonstrations and bug reports. A
// script is a list of steps; the first one whose conditions hold determines the answer, error or
// hang. Without a matching step the call fails with a description of the request: a script never
// improvises.
package script
