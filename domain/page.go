package domain

// PageBytes is how much one page of a list holds at most, whatever its limit of items:
// a page ends there. A single item that is longer is a page of its own.
const PageBytes = 4 << 20

// PageSize bounds a page that is read, by whichever comes first. Zero: the usual one.
type PageSize struct {
	Rows, Bytes int
	// Strict: not even the first item may be longer. A page that is empty although there is
	// more says that it is.
	Strict bool
}
