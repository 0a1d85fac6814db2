package api

import "github.com/fermata-dev/fermata/domain/people"

// ApprovalLinkFrom encodes a new link for the caller who created it.
func ApprovalLinkFrom(url string, link *people.ApprovalLink) ApprovalLink {
	return ApprovalLink{URL: url, ExpiresAt: Time(link.ExpiresAt)}
}
