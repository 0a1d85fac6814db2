// Package chat is a chat in the terminal, and the answers to approvals and questions, which a chat and the command
// approve share.
package chat
