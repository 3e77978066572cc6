// Package workspace reads and writes files for agents, inside the directories of their sessions and nowhere else.
//
// A path of an agent leads where the system would lead it, link by link, as long as it stays inside. What is opened is
// opened by way of an [os.Root], relative to the descriptor of a directory: a link that is exchanged meanwhile leads to an
// error or to another file inside, never out. Hard links are no links in this sense: a file inside that has another name
// outside can be read. Writing it gives the name inside a file of its own.
package workspace

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/acpharness/acpharness/acp"
)

// Options configure a [Workspace]. The zero value works.
type Options struct {
	// Dirs are absolute paths of directories that all sessions may use besides their own.
	Dirs []string
	// Missing says how a read of a file that does not exist is answered.
	Missing Missing
	// ReadOnly refuses every write. Without any FileWriter an agent would write by its own means.
	ReadOnly bool
	// MaxRead is how many bytes a read may return, and MaxWrite how many a write may have. 0 means 10 MiB, negative no limit.
	MaxRead, MaxWrite int64
}

// Missing is an answer for files that do not exist.
type Missing int

const (
	// MissingError is the protocol's "resource not found". The zero value.
	MissingError Missing = iota
	// MissingEmpty is the empty text. Some agents (gemini 0.61.0) read a file before they create it, and give up on any error.
	MissingEmpty
)

const defaultMax = 10 << 20

// Workspace is an [acp.FileReader] and an [acp.FileWriter]. It keeps nothing between calls: any number of connections and
// sessions may share it, and their calls run side by side.
type Workspace struct{ opts Options }

var (
	_ acp.FileReader = (*Workspace)(nil)
	_ acp.FileWriter = (*Workspace)(nil)
)

// New returns a workspace; opts may be nil.
func New(opts *Options) *Workspace {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Dirs = slices.Clone(o.Dirs)
	o.MaxRead, o.MaxWrite = limit(o.MaxRead), limit(o.MaxWrite)
	return &Workspace{o}
}

func limit(n int64) int64 {
	if n < 0 {
		return math.MaxInt64
	}
	return cmp.Or(n, defaultMax)
}

// ReadTextFile implements acp.FileReader: it returns the lines exactly as they are in the file, with their ends and a byte
// order mark. Lines end with \n and count from 1; line 0 is line 1, since some agents count from there. What is behind the
// end of the file is empty. Only text is returned: valid UTF-8 without NUL. Errors are an [*Error].
func (w *Workspace) ReadTextFile(ctx context.Context, req *acp.ReadTextFileRequest) (string, error) {
	text, err := w.read(ctx, req)
	if err != nil {
		return "", asError("read", req.Path, err)
	}
	return text, nil
}

// WriteTextFile implements acp.FileWriter: it replaces the file by the content, byte for byte, or creates it and the
// directories above it. Who reads meanwhile sees the old file or the new one. The permissions of an old file are kept,
// and its owner as far as the system allows; a hard link to it, extended attributes and access lists are not.
// If the path is a symbolic link, what it leads to is replaced and the link stays. Errors are an [*Error].
func (w *Workspace) WriteTextFile(ctx context.Context, req *acp.WriteTextFileRequest) error {
	if err := w.write(ctx, req); err != nil {
		return asError("write", req.Path, err)
	}
	return nil
}

// roots are the directories of a call.
func (w *Workspace) roots(session []string) (roots, error) {
	return newRoots(slices.Concat(session, w.opts.Dirs))
}
