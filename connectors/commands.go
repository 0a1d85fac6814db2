package connectors

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	maxCommands = 200
	// maxCommandBytes bounds all that is kept of a connector's commands.
	maxCommandBytes = 1 << 20

	// DefaultTimeout is how long a call may take, whole, where nobody said otherwise.
	DefaultTimeout = 15 * time.Second
	minTimeout     = time.Second
	maxTimeout     = 5 * time.Minute
)

var (
	// prefixPattern has no underscore: PREFIX_NAME, as models know a command, can then be
	// read in one way only.
	prefixPattern = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,19}$`)
	// namePattern leaves room for the longest prefix in the 64 characters that vendors take.
	namePattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,42}$`)
)

// checkPrefix refuses what is no prefix, or begins the name of a built-in command.
func (s *Service) checkPrefix(prefix string) error {
	if !prefixPattern.MatchString(prefix) {
		return domain.Invalid("/prefix", "format", "A prefix has upper-case letters and digits only, a letter first, 20 at most: GITHUB.")
	}
	if s.reserved[prefix] {
		return domain.Invalid("/prefix", "reserved", "Commands of the server itself begin with %s. Choose another prefix.", prefix)
	}
	return nil
}

// reservedPrefixes are the beginnings of the built-in commands.
func reservedPrefixes(builtIn []string) map[string]bool {
	reserved := map[string]bool{"AGENT": true}
	for _, name := range builtIn {
		first, _, _ := strings.Cut(name, "_")
		reserved[first] = true
	}
	return reserved
}

// takeCommands checks the commands that a person wrote, and gives them what the server says
// of them. A command that was there keeps its state where none is given.
func (s *Service) takeCommands(kind *Kind, c *domain.Connector, given []domain.ConnectorCommand) error {
	if !kind.Written {
		return domain.Invalid("/commands", "not_allowed", "The server of a connector of kind %s lists its commands itself.", kind.Name)
	}
	before := c.Commands
	taken := make([]domain.ConnectorCommand, 0, len(given))
	for i := range given {
		command := given[i]
		if err := s.checkCommand(kind, c, &command, taken); err != nil {
			return domain.Below(fmt.Sprintf("/commands/%d", i), err)
		}
		command.DefinitionHash = DefinitionHash(&command)
		if command.State == "" {
			command.State = domain.CommandOffered
			if at := slices.IndexFunc(before, func(b domain.ConnectorCommand) bool { return b.Name == command.Name }); at >= 0 {
				command.State = before[at].State
			}
		}
		taken = append(taken, command)
	}
	c.Commands = taken
	return checkSize(taken)
}

func (s *Service) checkCommand(kind *Kind, c *domain.Connector, command *domain.ConnectorCommand, others []domain.ConnectorCommand) error {
	if !namePattern.MatchString(command.Name) {
		return domain.Invalid("/name", "format",
			"A command's name has upper-case letters, digits and underscores only, a letter first, 43 at most: CREATE_ISSUE.")
	}
	if slices.ContainsFunc(others, func(o domain.ConnectorCommand) bool { return o.Name == command.Name }) {
		return domain.Invalid("/name", "repeated", "There are two commands of the name %s.", command.Name)
	}
	if len(command.Params) == 0 {
		command.Params = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if err := s.checkParams(command.Params); err != nil {
		return err
	}
	if err := checkTimeout(command.Timeout); err != nil {
		return err
	}
	return kind.Check(c.Config, command)
}

// checkParams refuses a schema of params that no vendor takes, or that cannot be checked.
func (s *Service) checkParams(params json.RawMessage) error {
	var shape struct {
		Type string `json:"type"`
	}
	if err := exactjson.Unmarshal(params, &shape); err != nil || shape.Type != "object" {
		return domain.Invalid("/params_schema", "type", `The schema of the params is that of an object: {"type": "object", …}.`)
	}
	if err := s.compiled.Compile(params); err != nil {
		return domain.Invalid("/params_schema", "schema", "%s",
			jsonbody.Cut("This schema cannot be used: "+err.Error(), jsonbody.MaxMessage))
	}
	return nil
}

func checkTimeout(timeout time.Duration) error {
	if timeout != 0 && (timeout < minTimeout || timeout > maxTimeout) {
		return domain.Invalid("/timeout", "out_of_range", "A call may take from %s to %s.", minTimeout, maxTimeout)
	}
	return nil
}

func checkSize(commands []domain.ConnectorCommand) error {
	there := 0
	for i := range commands {
		if commands[i].State != domain.CommandGone {
			there++
		}
	}
	if there > maxCommands {
		return domain.Invalid("/commands", "too_many", "A connector has %d commands at most.", maxCommands)
	}
	if text, err := json.Marshal(commands); err != nil || len(text) > maxCommandBytes {
		return domain.Invalid("/commands", "too_long", "The commands of a connector have %d bytes at most, all together.", maxCommandBytes)
	}
	return nil
}

// DefinitionHash is of all that says what a command is: not of what a person says about how
// it may be used.
func DefinitionHash(c *domain.ConnectorCommand) string {
	params := any(c.Params)
	if value, err := jsonbody.Value(c.Params); err == nil {
		params = value // the order and the spaces of a schema are no change of it
	}
	parts := []any{c.Name, c.Remote, c.Title, c.Description, params, c.Request, c.Result, c.Deadline, c.CancelPath}
	if len(c.Documents) > 0 {
		parts = append(parts, c.Documents)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		text = []byte(err.Error()) // an invalid schema: it is not offered either
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// CommandName makes a name of ours of a server's own: upper case, letters, digits and
// underscores, and short enough. Where that loses something, a hash keeps two apart.
func CommandName(remote string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, remote)
	if !regexp.MustCompile(`^[A-Z]`).MatchString(name) {
		name = "C_" + name
	}
	const longest, hashed = 43, 6
	if len(name) > longest {
		sum := sha256.Sum256([]byte(remote))
		name = name[:longest-hashed-1] + "_" + strings.ToUpper(hex.EncodeToString(sum[:hashed/2]))
	}
	return name
}
