package orchestrator

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// offered are the commands of the next call. With relaunch=on_error_only, after
// results that were all good only the control commands are offered again.
func offered(s *domain.Session, settings *domain.Settings, specs []domain.CommandSpec) []domain.CommandSpec {
	if settings.Relaunch == "on_error_only" && s.State.ResultsGood {
		var control []domain.CommandSpec
		for _, spec := range specs {
			if spec.Kind == domain.KindControl {
				control = append(control, spec)
			}
		}
		return control
	}
	if settings.AfterActions == domain.AfterActionsRest && s.Type == domain.Chat {
		for i := range specs {
			if specs[i].Kind == domain.KindAction {
				specs[i].Params = withKeepControl(specs[i].Params)
			}
		}
	}
	return specs
}

// keepControl describes to the model what after_actions=rest means: the round ends with the text beside
// its actions.
var keepControl = json.RawMessage(`{"type":"boolean","description":"True to be called again with the results. ` +
	`Without it, text beside actions is your last word: once all of them have succeeded, the person reads it and the round ends."}`)

// withKeepControl adds the param to an action's schema. One of theirs that has its name stays.
func withKeepControl(own json.RawMessage) json.RawMessage {
	var schema, properties map[string]json.RawMessage
	if json.Unmarshal(own, &schema) != nil || schema == nil {
		return own
	}
	_ = json.Unmarshal(schema["properties"], &properties) // none: it has no parameters of its own
	if properties == nil {
		properties = map[string]json.RawMessage{}
	}
	if _, theirs := properties["keep_control"]; theirs {
		return own
	}
	properties["keep_control"] = keepControl
	schema["properties"] = jsonbody.Encode(properties)
	return jsonbody.Encode(schema)
}
