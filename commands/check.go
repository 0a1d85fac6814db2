package commands

import "encoding/json"

// CheckSchema holds a value against a JSON Schema: the config of a provider, say. All
// that is wrong is reported at once, each with its pointer below prefix.
func (c *Catalogue) CheckSchema(schema, value json.RawMessage, prefix string) error {
	return c.schemas.Check(schema, value, prefix)
}
