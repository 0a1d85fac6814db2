package main

// Rules of fields beyond their schema, and their error texts. A schema cannot express that a name is one line, or that a
// text is not blank.

// visible are fields, by name, that must not be blank. The same holds for each name that the contract requires not to
// be empty.
var visible = map[string]bool{"expression": true, "time_zone": true, "tags": true, "commands": true}

// oneLine are fields with a name: one line of visible characters.
var oneLine = map[string]bool{"name": true, "title": true}

// patterns are the tags for patterns whose error is explained in words.
var patterns = map[string]string{
	"NewDocument.key": "key", "NewToolType.id": "type_id", "NewWorkspace.id": "workspace",
	"NewConnector.prefix": "connector_prefix", "ConnectorPatch.prefix": "connector_prefix", "NewConnectorCommand.name": "command_name",
	"NewAgent.name": "agent", "AgentPatch.name": "agent",
	"SettingsPatch.chat_session_header": "session_header",
}

// shown are fields whose error for a missing value lists the allowed values.
var shown = map[string]bool{"Schedule.type": true, "Trigger.type": true, "NewEntries.entries": true}

// counted are required lists whose error for a missing value has the minimum length.
var counted = map[string]bool{"NewEntries.entries": true}

// emptied are lists with a special error for an empty list.
var emptied = map[string]bool{"MessageContent.segments": true, "MessageInput.segments": true}

// durations are the schemas of a length of time. None is negative.
var durations = map[string]bool{"Duration": true, "DurationPatch": true}

// written are types that are written by hand.
var written = map[string]string{
	"NewSession.message": "FirstMessage",
	"RetryInput.message": "FirstMessage",
	"RunInput.message":   "FirstMessage",
	"NewFork.message":    "FirstMessage",
}
