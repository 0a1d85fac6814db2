// Package people stores who has access: API keys and the tickets issued for them, sign-ins and
// passkeys. What ends a person's access also ends the push subscriptions that came with it.
package people
