package prompt

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// JSONSchemaOfAnswer returns the schema of an answer in the JSON protocol for a session type, for
// providers with structured output. The params of commands are open: they are checked against the
// catalogue. It therefore does not suit modes that require closed objects.
func JSONSchemaOfAnswer(t domain.SessionType) []byte {
	if t.CountsAIRequest() {
		return []byte(answerSchema)
	}
	return []byte(strings.Replace(answerSchema, validationProperty, "", 1))
}

const validationProperty = `
    "validation_request": {"type": "boolean", "description": "True to have a person say yes before the actions run."},`

const answerSchema = `{
  "type": "object",
  "properties": {
    "pre_text": {"type": "string", "description": "What is said to the person. May be empty beside commands."},` + validationProperty + `
    "data_commands": {"type": "array", "items": {"$ref": "#/$defs/command"}, "description": "Queries. Never beside action_commands."},
    "action_commands": {"type": "array", "items": {"$ref": "#/$defs/command"}, "description": "Actions, run in order. Never beside data_commands."},
    "post_text": {"type": "string", "description": "Said to the person if all the actions succeed."},
    "keep_control": {"type": "boolean", "description": "True to be called again with the results of actions that succeed."},
    "communication_module": {
      "type": "object",
      "properties": {
        "type": {"type": "string", "enum": ["MultipleChoice", "Validation", "Text", "Form", "Plan"]},
        "data": {"type": "object"}
      },
      "required": ["type", "data"],
      "additionalProperties": false
    },
    "completed": {"type": "boolean", "description": "True when an automation's task is done."}
  },
  "required": ["pre_text"],
  "additionalProperties": false,
  "$defs": {
    "command": {
      "type": "object",
      "properties": {
        "type": {"type": "string", "description": "The name of the command."},
        "params": {"type": "object"}
      },
      "required": ["type", "params"],
      "additionalProperties": false
    }
  }
}`
