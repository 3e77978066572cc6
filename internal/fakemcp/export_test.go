package fakemcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ParseJournal is what ReadJournal does with the text of a file.
func ParseJournal(text []byte) ([]Entry, error) { return parseJournal(text) }

// ParseTools is parseTools.
func ParseTools(text []byte) (*ToolsFile, error) { return parseTools(text) }

// FollowTools follows a tools file until ctx ends, by the clock alone, and
// journals what a server would.
func FollowTools(ctx context.Context, path, journal string) error {
	j, err := openJournal(journal, Entry{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	b := &toolbox{
		path: path, journal: j, server: mcp.NewServer(&mcp.Implementation{}, nil),
		file: &changes{name: path, tick: time.NewTicker(fallback)}, current: &ToolsFile{},
	}
	b.start()
	<-ctx.Done()
	b.stop()
	return j.close()
}
