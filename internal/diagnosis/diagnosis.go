// Package diagnosis defines the findings of installation checks.
package diagnosis

// Level is the severity of a finding.
type Level string

// The levels.
const (
	LevelOK      Level = "ok"
	LevelWarning Level = "warning"
	LevelFailed  Level = "failed"
	LevelSkipped Level = "skipped"
)

// Finding is the result of one check. Fix describes how to fix the problem.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Detail string `json:"detail"`
	Fix    string `json:"mend,omitempty"`
}

// OK reports that a check passed.
func OK(check, detail string) Finding {
	return Finding{Check: check, Level: LevelOK, Detail: detail}
}

// Warning reports a problem that does not break anything yet.
func Warning(check, detail, fix string) Finding {
	return Finding{Check: check, Level: LevelWarning, Detail: detail, Fix: fix}
}

// Failed reports that something does not work.
func Failed(check, detail, fix string) Finding {
	return Finding{Check: check, Level: LevelFailed, Detail: detail, Fix: fix}
}

// Skipped reports why a check did not run.
func Skipped(check, detail string) Finding {
	return Finding{Check: check, Level: LevelSkipped, Detail: detail}
}
