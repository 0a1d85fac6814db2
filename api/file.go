package api

import "github.com/fermata-dev/fermata/domain/userdata"

// FileFrom is a file as clients see it.
func FileFrom(f *userdata.File) *File {
	out := &File{
		ID: f.ID, Name: f.Name, MediaType: FileMediaType(f.MediaType), Bytes: f.Bytes, Sha256: f.SHA256,
		CreatedBy: textPtr(f.CreatedBy), CreatedAt: Time(f.CreatedAt),
	}
	if f.IsPicture() {
		w, h := f.Width, f.Height
		out.Width, out.Height = &w, &h
	}
	return out
}
