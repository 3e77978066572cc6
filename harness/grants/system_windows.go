package grants

import "io/fs"

// exposed has nothing to look at: permissions are lists here, and those of a user's profile are the system's affair.
func exposed(fs.FileInfo) error { return nil }
