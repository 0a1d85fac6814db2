// Package diagnosis is what checks of an installation find.
package diagnosis

// Level says how bad a finding is.
type Level string

// The levels.
const (
	LevelOK      Level = "ok"
	LevelWarning Level = "warning"
	LevelFailed  Level = "failed"
	LevelSkipped Level = "skipped"
)

// Finding is what one check found. Mend says what to do about it.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"`
}

// OK is a finding that all is well.
func OK(check, detail string) Finding {
	return Finding{Check: check, Level: LevelOK, Detail: detail}
}

// Warning is a finding that people should know of; what they want works.
func Warning(check, detail, mend string) Finding {
	return Finding{Check: check, Level: LevelWarning, Detail: detail, Mend: mend}
}

// Failed is a finding that something does not work.
func Failed(check, detail, mend string) Finding {
	return Finding{Check: check, Level: LevelFailed, Detail: detail, Mend: mend}
}

// Skipped says why a check was not made.
func Skipped(check, detail string) Finding {
	return Finding{Check: check, Level: LevelSkipped, Detail: detail}
}
