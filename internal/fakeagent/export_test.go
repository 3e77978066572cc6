package fakeagent

import "time"

// Impatient makes an agent wait for a server that starts no longer than this.
func Impatient(opts *Options, patience time.Duration) { opts.mcpPatience = patience }
