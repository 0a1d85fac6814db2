package cli

// Examples at the end of --help.

// Help has examples.
func (tailCommand) Help() string {
	return "Examples:\n\n" +
		"  fermata tail --session ses_…            a chat, including its streaming answers\n\n" +
		"  fermata tail --after=0 -o json          the whole log, one line of JSON per event\n\n" +
		"  fermata tail --types=approval.requested"
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
	return "The file has kind, name, prefix and config (docs/connectors.md). Example:\n\n  fermata connectors add shop.yaml"
}

// Help has examples.
func (connectorsChange) Help() string {
	return "Examples:\n\n  fermata connectors change SHOP -f shop.yaml\n\n  echo 'enabled: false' | fermata connectors change SHOP -f -"
}

// Help has examples.
func (agentsAdd) Help() string {
	return "The file has name, description, instructions and commands (docs/agents.md). Example:\n\n  fermata agents add clerk.yaml"
}

// Help has examples.
func (agentsChange) Help() string {
	return "Example:\n\n  echo 'max_turns: 5' | fermata agents change clerk -f -"
}

// Help has examples.
func (providersAdd) Help() string {
	return "The file has kind, name and config; `fermata providers kinds` lists the kinds. Example:\n\n  fermata providers add vendor.yaml"
}

// Help has examples.
func (keysCreate) Help() string {
	return "Example:\n\n  fermata keys create ci --role=member --expires-in=720h > key"
}
