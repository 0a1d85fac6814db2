// Package checks validates what people and clients send against the catalogue and the data of a workspace: rich messages,
// answers to approvals, automations and their grants.
package checks
