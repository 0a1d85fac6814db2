package domain

// PageBytes limits the bytes of one page of a list, independently of its limit of items. A single larger
// item is a page of its own.
const PageBytes = 4 << 20

// PageSize bounds a page that is read, by whichever comes first. Zero: the usual one.
type PageSize struct {
	Rows, Bytes int
	// Strict: not even the first item may exceed the limit. An empty page with more to come is marked.
	Strict bool
}
