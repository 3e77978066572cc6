package fakemcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolbox keeps the tools of a server those of a file. With a file it runs one
// goroutine, from start to stop.
type toolbox struct {
	path    string // "" without a file
	label   string
	journal *journal
	server  *mcp.Server
	ending  <-chan struct{} // cuts delays

	file   *changes
	cancel context.CancelFunc
	done   chan struct{}
	broken string // the failure that was journaled last

	mu      sync.Mutex
	current *ToolsFile
}

// load reads the tools for the first time.
func (b *toolbox) load() error {
	content := defaultTools()
	if b.path != "" {
		var err error
		if b.file, err = watch(b.path); err != nil {
			return err
		}
		if content, err = readTools(b.path); err != nil {
			b.file.close()
			return err
		}
	}
	b.put(content)
	return nil
}

// start begins to follow the file.
func (b *toolbox) start() {
	if b.file == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.done = cancel, make(chan struct{})
	go func() {
		defer close(b.done)
		for b.file.next(ctx) == nil {
			b.file.settle(ctx)
			if ctx.Err() != nil {
				return // the file may be half written
			}
			b.reload()
		}
	}()
}

// stop ends the goroutine and joins it.
func (b *toolbox) stop() {
	if b.cancel != nil {
		b.cancel()
		<-b.done
		b.file.close()
	}
}

func (b *toolbox) reload() {
	content, err := readTools(b.path)
	if err != nil {
		// Once only: the journal may be in the same folder.
		if err.Error() != b.broken {
			b.broken = err.Error()
			b.journal.fail(err)
		}
		return
	}
	b.broken = ""
	if !reflect.DeepEqual(content, b.now()) {
		b.journal.add(Entry{Event: EventTools, Tools: content.names()})
		b.put(content)
	}
}

func readTools(path string) (*ToolsFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the tools: %w", err)
	}
	return parseTools(text)
}

// put makes content the current one. Clients are told by the server, a moment
// later, and only if they would see a difference.
func (b *toolbox) put(content *ToolsFile) {
	b.mu.Lock()
	old := b.current
	b.current = content
	b.mu.Unlock()
	var gone []string
	if old != nil {
		for _, t := range old.Tools {
			if content.find(t.Name) == nil {
				gone = append(gone, t.Name)
			}
		}
	}
	for i := range content.Tools {
		offer := content.Tools[i].offer()
		if before := old.find(offer.Name); before == nil || !reflect.DeepEqual(before.offer(), offer) {
			b.server.AddTool(offer, b.call)
		}
	}
	if len(gone) > 0 {
		b.server.RemoveTools(gone...)
	}
}

func (b *toolbox) now() *ToolsFile {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current
}

func (f *ToolsFile) find(name string) *Tool {
	if f == nil {
		return nil
	}
	for i := range f.Tools {
		if f.Tools[i].Name == name {
			return &f.Tools[i]
		}
	}
	return nil
}

// call answers tools/call.
func (b *toolbox) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	t := b.now().find(req.Params.Name)
	if t == nil { // it went between the server's look and this one
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", req.Params.Name)}
	}
	if t.Delay > 0 {
		timer := time.NewTimer(time.Duration(t.Delay))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-b.ending:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	text := t.Text
	if text == "" {
		text = fmt.Sprintf("%s/%s: %s", b.label, t.Name, compact(req.Params.Arguments))
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: t.IsError}, nil
}

func compact(arguments json.RawMessage) string {
	var text bytes.Buffer
	if len(arguments) == 0 || json.Compact(&text, arguments) != nil {
		return "{}"
	}
	return text.String()
}

// latestInstructions puts what the file says now into the answer to initialize.
func (b *toolbox) latestInstructions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if hello, ok := result.(*mcp.InitializeResult); ok && hello != nil {
			hello.Instructions = b.now().Instructions
		}
		return result, err
	}
}
