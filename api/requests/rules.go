package main

// What the server demands of a field beyond its schema, and how it tells it. A schema
// cannot say that a name is one line, or that a text is more than blanks.

// visible are fields, by their name, that must hold more than blanks. A name must where
// the contract says that it is not empty.
var visible = map[string]bool{"expression": true, "time_zone": true, "tags": true, "commands": true}

// oneLine are fields that are a name: one line of characters that are seen.
var oneLine = map[string]bool{"name": true, "title": true}

// patterns are the tags that stand for a pattern: a person is told in words what it takes.
var patterns = map[string]string{
	"NewDocument.key": "key", "NewToolType.id": "type_id", "NewWorkspace.id": "workspace",
	"NewConnector.prefix": "connector_prefix", "ConnectorPatch.prefix": "connector_prefix", "NewConnectorCommand.name": "command_name",
	"NewAgent.name": "agent", "AgentPatch.name": "agent",
	"SettingsPatch.chat_session_header": "session_header",
}

// shown are fields of which, where they are missing, it is told what they take.
var shown = map[string]bool{"Schedule.type": true, "Trigger.type": true, "NewEntries.entries": true}

// counted are required lists of which, where they are missing, the least count is told.
var counted = map[string]bool{"NewEntries.entries": true}

// emptied are lists that have a better answer than a bound where they are empty.
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
