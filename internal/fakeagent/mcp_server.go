package fakeagent

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	mcpPatience        = 5 * time.Second // with a server that starts, or lists its tools anew
	mcpProtocolVersion = "2025-06-18"
)

// mcpServer is one server at work, from its start to its stop. A restart makes another one.
type mcpServer struct {
	name    string
	entry   *serverEntry // as it was started
	process *mcpProcess
	wire    *mcpWire
	changed chan struct{} // has room for one token: the tools are to be listed anew

	mu    sync.Mutex
	tools []mcpTool
	fresh chan struct{} // closed while tools are those that the server told of last
}

type mcpTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

func newMCPServer(name string, entry *serverEntry) *mcpServer {
	m := &mcpServer{name: name, entry: entry, changed: make(chan struct{}, 1), fresh: make(chan struct{})}
	close(m.fresh)
	return m
}

// greet is the handshake with a process that has started.
func (m *mcpServer) greet(ctx context.Context) error {
	var hello struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	err := m.wire.call(ctx, methodInitialize, object{
		"protocolVersion": mcpProtocolVersion, "capabilities": object{},
		"clientInfo": object{"name": "acpharness-mock", "version": Version},
	}, &hello)
	if err != nil {
		return err
	}
	if err := m.wire.write(nil, "notifications/initialized", "params", object{}); err != nil {
		return err
	}
	return m.list(ctx)
}

// list reads all pages before it changes anything.
func (m *mcpServer) list(ctx context.Context) error {
	var all []mcpTool
	params := object{}
	for {
		var page struct {
			Tools      []mcpTool `json:"tools"`
			NextCursor string    `json:"nextCursor"`
		}
		if err := m.wire.call(ctx, "tools/list", params, &page); err != nil {
			return err
		}
		all = append(all, page.Tools...)
		if page.NextCursor == "" {
			break
		}
		params = object{"cursor": page.NextCursor}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tools = all
	return nil
}

// noticed is told of the server's notifications, on the goroutine that reads them.
func (m *mcpServer) noticed(method string) {
	if method != "notifications/tools/list_changed" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.fresh:
		m.fresh = make(chan struct{})
	default:
	}
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// relist ends with the server's output. A list that cannot be had leaves the tools as they are.
func (m *mcpServer) relist() {
	for {
		select {
		case <-m.changed:
		case <-m.wire.gone:
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
		_ = m.list(ctx)
		cancel()
		m.mu.Lock()
		if len(m.changed) == 0 {
			close(m.fresh)
		}
		m.mu.Unlock()
	}
}

// listed waits until the tools are listed anew, if the server has said that they changed.
func (m *mcpServer) listed(ctx context.Context) {
	m.mu.Lock()
	fresh := m.fresh
	m.mu.Unlock()
	select {
	case <-fresh:
	case <-m.wire.gone:
	case <-ctx.Done():
	}
}

func (m *mcpServer) current() []mcpTool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tools
}

// call runs a tool and returns its text; failed says that the text tells of an error.
func (m *mcpServer) call(ctx context.Context, tool string, args json.RawMessage) (text string, failed bool) {
	var result struct {
		Content []json.RawMessage `json:"content"`
		IsError bool              `json:"isError"`
	}
	if err := m.wire.call(ctx, "tools/call", object{"name": tool, "arguments": args}, &result); err != nil {
		return "error: " + err.Error(), true
	}
	var texts []string
	for _, raw := range result.Content {
		var part struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &part) == nil && part.Type == "text" {
			texts = append(texts, part.Text)
		} else {
			texts = append(texts, string(raw))
		}
	}
	return strings.Join(texts, "\n"), result.IsError
}

// redact takes the values of the environment out of a text of others that the client gets to see.
func (e *serverEntry) redact(text string) string {
	values := slices.SortedFunc(maps.Values(e.env), func(a, b string) int { return len(b) - len(a) }) // one may hold another
	for _, value := range values {
		if value != "" {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return text
}
