package cli

// Examples that --help ends with: most people begin with one.

// Help has examples.
func (tailCommand) Help() string {
	return "Examples:\n\n" +
		"  fermata tail --session ses_…            a chat, with the text of its answers\n\n" +
		"  fermata tail --after=0 -o json          the whole log, a line of JSON for each event\n\n" +
		"  fermata tail --types=approval.requested"
}

// Help has examples.
func (approveCommand) Help() string {
	return "Without an id it lists what waits. Examples:\n\n" +
		"  fermata approve apr_…                   shows it, and asks\n\n" +
		"  fermata approve apr_… --yes             in a script, which nobody can be asked in\n\n" +
		"  fermata approve apr_… --no --comment='not this week'"
}

// Help has examples.
func (webhooksAdd) Help() string {
	return "Example:\n\n  fermata webhooks add https://receiver.example/fermata approval.requested session.ended > secret"
}

// Help has examples.
func (webhooksChange) Help() string {
	return "Examples:\n\n  fermata webhooks change whk_… --no-enable\n\n  fermata webhooks change whk_… -f webhook.yaml"
}

// Help has examples.
func (connectorsAdd) Help() string {
	return "The file says kind, name, prefix and config (docs/connectors.md). Example:\n\n  fermata connectors add shop.yaml"
}

// Help has examples.
func (connectorsChange) Help() string {
	return "Examples:\n\n  fermata connectors change SHOP -f shop.yaml\n\n  echo 'enabled: false' | fermata connectors change SHOP -f -"
}

// Help has examples.
func (agentsAdd) Help() string {
	return "The file says name, description, instructions and commands (docs/agents.md). Example:\n\n  fermata agents add clerk.yaml"
}

// Help has examples.
func (agentsChange) Help() string {
	return "Example:\n\n  echo 'max_turns: 5' | fermata agents change clerk -f -"
}

// Help has examples.
func (providersAdd) Help() string {
	return "The file says kind, name and config; `fermata providers kinds` lists the kinds. Example:\n\n  fermata providers add vendor.yaml"
}

// Help has examples.
func (keysCreate) Help() string {
	return "Example:\n\n  fermata keys create ci --role=member --expires-in=720h > key"
}
