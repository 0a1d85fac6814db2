package handlers_test

import (
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// allPeople lists and changes people, and issues and revokes tokens for one for whom a program acts.
func allPeople(t *testing.T, w *servertest.World, c *servertest.Client) {
	*c = *w.ServeKeys(t)
	root := []string{"Authorization", "Bearer " + servertest.RootKey}
	key := c.Want(201, "POST", "/v1/keys", `{"name":"shop","role":"member","acts_for":"any"}`, root...).Body["key"].(string)
	token := c.Want(201, "POST", "/v1/people/tokens", `{"person":"ada"}`, "Authorization", "Bearer "+key).Body
	at := "/v1/people/" + token["person"].(string)
	for _, call := range []servertest.Call{
		{200, "GET", "/v1/people", ""}, {200, "GET", at, ""}, {200, "PATCH", at, `{"name":"Ada"}`}, {200, "GET", at + "/sessions", ""},
		{204, "DELETE", at + "/tokens", ""}, {404, "GET", "/v1/people/per_none", ""}, {404, "PATCH", "/v1/people/per_none", `{"name":"x"}`},
		{404, "GET", "/v1/people/per_none/sessions", ""}, {404, "DELETE", "/v1/people/per_none/tokens", ""},
	} {
		c.Want(call.Status, call.Method, call.Path, call.Body, root...)
	}
}
