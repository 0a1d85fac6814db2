package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// KeysCommand manages the API keys of a workspace.
type KeysCommand struct {
	List   keysList   `cmd:"" default:"withargs" help:"List the workspace's keys, including revoked ones."`
	Create keysCreate `cmd:"" help:"Create a key and print it; it is not shown again."`
	Revoke keysRevoke `cmd:"" help:"Revoke a key permanently."`
}

type keysList struct {
	command.ClientFlags `embed:""`
}

// Run prints the keys.
func (c *keysList) Run(cc *command.Context) error {
	head := []string{"ID", "ROLE", "BEGINS WITH", "STATE", "LAST USED", "NAME"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/keys", url.Values{}, remote.Everything, head, func(k *api.Key) []string {
		name := shorten.Characters(k.Name, 50)
		return []string{k.ID, string(k.Role), k.Prefix + "…", keyState(k, cc.Clock()), command.OrNever(k.LastUsedAt), name}
	})
}

// keyState shows whether a key is valid, and until when.
func keyState(k *api.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt == nil:
		return "good"
	case now.Before(time.Time(*k.ExpiresAt)):
		return "until " + command.ClockTime(*k.ExpiresAt)
	default:
		return "expired"
	}
}

// allKeys reads all keys.
func allKeys(cc *command.Context, c *remote.Client) ([]api.Key, error) {
	return remote.List[api.Key](cc, c, "/v1/keys", url.Values{}, remote.Everything)
}

type keysCreate struct {
	command.ClientFlags `embed:""`
	Name                string        `arg:"" help:"A name to recognise the key by."`
	Role                string        `help:"Role: viewer (reads), member (chats and answers) or admin (configures)." enum:"viewer,member,admin" default:"member"`
	ExpiresIn           time.Duration `help:"Validity, for example 720h; default: until it is revoked." placeholder:"DURATION"`
	ActsFor             string        `help:"With any, the program that has the key may act for its users." enum:",any" default:"" placeholder:"any"`
}

// Run creates a key. Only the key goes to the standard output, so that it can be redirected to a file; its
// details go to the standard error.
func (c *keysCreate) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	ask := map[string]any{"name": c.Name, "role": c.Role}
	if c.ExpiresIn != 0 {
		ask["expires_at"] = cc.Clock().Add(c.ExpiresIn)
	}
	if c.ActsFor != "" {
		ask["acts_for"] = c.ActsFor
	}
	var made api.CreatedKey
	if err := client.Call(cc, http.MethodPost, "/v1/keys", ask, &made); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, made)
	}
	beside := command.Screen{Out: cc.Errors}
	beside.Line("%s, role %s. The key is not shown again:", made.ID, made.Role)
	if made.Notice != nil {
		beside.Line("%s", *made.Notice)
	}
	if _, err := fmt.Fprintln(cc.Out, made.Key); err != nil {
		return fmt.Errorf("print the key: %w", err)
	}
	return nil
}

type keysRevoke struct {
	command.ClientFlags `embed:""`
	Key                 string `arg:"" help:"The key's id, prefix (fmt_…) or name."`
}

// Run revokes the key.
func (c *keysRevoke) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	all, err := allKeys(cc, client)
	if err != nil {
		return err
	}
	key, err := keyCalled(all, c.Key)
	if err != nil {
		return err
	}
	if err := client.Call(cc, http.MethodDelete, "/v1/keys/"+key.ID, nil, nil); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, map[string]string{"id": key.ID})
	}
	s := command.Screen{Out: cc.Out}
	s.Line("revoked %s (%s)", key.ID, key.Name)
	return nil
}

// keyCalled finds a valid key by its id, prefix or name.
func keyCalled(all []api.Key, name string) (*api.Key, error) {
	var found *api.Key
	for i := range all {
		k := &all[i]
		if k.ID == name || k.Prefix == name {
			return k, nil
		}
		if k.Name != name || k.RevokedAt != nil {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two keys are named %q: %s and %s; use an id", name, found.ID, k.ID)
		}
		found = k
	}
	if found == nil {
		return nil, fmt.Errorf("there is no key %q; list them with: fermata keys", name)
	}
	return found, nil
}
