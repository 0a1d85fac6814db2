package commands

import "encoding/json"

// CheckSchema validates a value against a JSON Schema, such as the config of a provider. All errors are
// reported at once, each with its pointer below prefix.
func (c *Catalogue) CheckSchema(schema, value json.RawMessage, prefix string) error {
	return c.schemas.Check(schema, value, prefix)
}
