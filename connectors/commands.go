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
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

const (
	maxCommands = 200
	// maxCommandBytes bounds the stored size of a connector's commands.
	maxCommandBytes = 1 << 20

	minTimeout = time.Second
	maxTimeout = 5 * time.Minute
)

var (
	// prefixPattern excludes the underscore, so that PREFIX_NAME, the form used with models, can be
	// split unambiguously.
	prefixPattern = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,19}$`)
	// namePattern leaves room for the longest prefix within the vendors' limit of 64 characters.
	namePattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,42}$`)
)

// checkPrefix rejects an invalid prefix and one that the names of built-in commands begin with.
func (s *Service) checkPrefix(prefix string) error {
	if !prefixPattern.MatchString(prefix) {
		return domain.Invalid("/prefix", "format", "A prefix consists of at most 20 upper-case letters and digits and begins with a letter, for example GITHUB.")
	}
	if s.reserved[prefix] {
		return domain.Invalid("/prefix", "reserved", "Names of built-in commands begin with %s. Choose another prefix.", prefix)
	}
	return nil
}

// reservedPrefixes are the first words of the names of the built-in commands.
func reservedPrefixes(builtIn []string) map[string]bool {
	reserved := map[string]bool{"AGENT": true}
	for _, name := range builtIn {
		first, _, _ := strings.Cut(name, "_")
		reserved[first] = true
	}
	return reserved
}

// takeCommands validates the commands that a person entered and stores them in c. A command that
// existed before keeps its state if none is given.
func (s *Service) takeCommands(kind *Kind, c *outside.Connector, given []outside.ConnectorCommand) error {
	if !kind.Written {
		return domain.Invalid("/commands", "not_allowed", "Commands of a connector of kind %s are listed by its server and cannot be set.", kind.Name)
	}
	before := c.Commands
	taken := make([]outside.ConnectorCommand, 0, len(given))
	for i := range given {
		command := given[i]
		if err := s.checkCommand(kind, c, &command, taken); err != nil {
			return domain.Below(fmt.Sprintf("/commands/%d", i), err)
		}
		command.DefinitionHash = DefinitionHash(&command)
		if command.State == "" {
			command.State = outside.CommandOffered
			if at := slices.IndexFunc(before, func(b outside.ConnectorCommand) bool { return b.Name == command.Name }); at >= 0 {
				command.State = before[at].State
			}
		}
		taken = append(taken, command)
	}
	c.Commands = taken
	return checkSize(taken)
}

func (s *Service) checkCommand(kind *Kind, c *outside.Connector,
	command *outside.ConnectorCommand, others []outside.ConnectorCommand) error {
	if !namePattern.MatchString(command.Name) {
		return domain.Invalid("/name", "format",
			"A command's name consists of at most 43 upper-case letters, digits and underscores and begins with a letter, for example CREATE_ISSUE.")
	}
	if slices.ContainsFunc(others, func(o outside.ConnectorCommand) bool { return o.Name == command.Name }) {
		return domain.Invalid("/name", "repeated", "Two commands have the name %s.", command.Name)
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

// checkParams rejects a parameter schema that vendors do not accept or that does not compile.
func (s *Service) checkParams(params json.RawMessage) error {
	var shape struct {
		Type string `json:"type"`
	}
	if err := exactjson.Unmarshal(params, &shape); err != nil || shape.Type != "object" {
		return domain.Invalid("/params_schema", "type", `The parameter schema must describe an object: {"type": "object", …}.`)
	}
	if err := s.compiled.Compile(params); err != nil {
		return domain.Invalid("/params_schema", "schema", "%s",
			shorten.Characters("This schema cannot be used: "+err.Error(), jsonbody.MaxMessage))
	}
	return nil
}

func checkTimeout(timeout time.Duration) error {
	if timeout != 0 && (timeout < minTimeout || timeout > maxTimeout) {
		return domain.Invalid("/timeout", "out_of_range", "The timeout must be between %s and %s.", minTimeout, maxTimeout)
	}
	return nil
}

func checkSize(commands []outside.ConnectorCommand) error {
	there := 0
	for i := range commands {
		if commands[i].State != outside.CommandGone {
			there++
		}
	}
	if there > maxCommands {
		return domain.Invalid("/commands", "too_many", "A connector can have at most %d commands.", maxCommands)
	}
	if text, err := json.Marshal(commands); err != nil || len(text) > maxCommandBytes {
		return domain.Invalid("/commands", "too_long", "The commands of a connector can have at most %d bytes in total.", maxCommandBytes)
	}
	return nil
}

// DefinitionHash covers everything that defines a command, without the settings a person makes for
// it.
func DefinitionHash(c *outside.ConnectorCommand) string {
	params := any(c.Params)
	if value, err := jsonbody.Value(c.Params); err == nil {
		params = value // key order and whitespace do not change a schema
	}
	parts := []any{c.Name, c.Remote, c.Title, c.Description, params, c.Request, c.Result, c.Deadline, c.CancelPath}
	if len(c.Documents) > 0 {
		parts = append(parts, c.Documents)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		text = []byte(err.Error()) // an invalid schema, which is not offered
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// CommandName converts a server's command name to ours: upper-case letters, digits and underscores,
// with a length limit. A hash keeps truncated names distinct.
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
