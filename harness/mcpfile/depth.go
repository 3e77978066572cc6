package mcpfile

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth is how deep values may be nested. Parsers go down by calls, and a stack that is full ends the process.
const maxDepth = 1000

var errDepth = errors.New("it is nested too deep")

// tooDeep reports whether a JSON text, with comments or without, is nested deeper than is read. Anything else about it may be wrong.
func tooDeep(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += comment(text[i:])
		}
	}
	return false
}

// comment is how far it is to the last byte of the comment that a text begins with; 0 if it begins with none.
func comment(text string) int {
	end, length := "", 0
	switch {
	case strings.HasPrefix(text, "//"):
		end, length = "\n", 1
	case strings.HasPrefix(text, "/*"):
		end, length = "*/", 2
	default:
		return 0
	}
	if i := strings.Index(text[2:], end); i >= 0 {
		return 2 + i + length - 1
	}
	return len(text)
}

// tooDeepTOML is tooDeep for TOML, whose parser limits brackets and braces, and not the parts of a key.
func tooDeepTOML(text string) bool {
	var p unstable.Parser
	p.Reset([]byte(text))
	for p.NextExpression() {
		if depthTOML(p.Expression()) > maxDepth {
			return true
		}
	}
	return false
}

func depthTOML(n *unstable.Node) int {
	depth := 0
	switch n.Kind {
	case unstable.KeyValue, unstable.Table, unstable.ArrayTable:
		for it := n.Key(); it.Next(); {
			depth++
		}
		if n.Kind == unstable.KeyValue {
			depth += depthTOML(n.Value())
		}
	case unstable.Array, unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			depth = max(depth, 1+depthTOML(it.Node()))
		}
	default:
	}
	return depth
}
