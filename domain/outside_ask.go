package domain

import "encoding/json"

// OutsideAsk is what an external call needs from a person before it can continue.
type OutsideAsk struct {
	ExecutionID string
	Connector   string // its id
	Name        string // the connector's, for people
	Why         string // in words
	// Question is the server's question; nil: a sign-in is needed. ResponseSchema is the schema of the
	// answer.
	Question       *Module
	ResponseSchema json.RawMessage
	// Open: the call remains open at the server meanwhile.
	Open bool
}

// OutsideAnswer is people's answers to a call's questions.
type OutsideAnswer struct {
	// Answers are to the server's questions, oldest first; null declines.
	Answers []json.RawMessage `json:"answers,omitempty"`
	// Refused: the sign-in was declined.
	Refused bool `json:"refused,omitempty"`
}
