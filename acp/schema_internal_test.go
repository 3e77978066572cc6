package acp

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loadSchemas returns the official schemas of version 1, the stable and the draft one. test/schema.sh fetches them.
func loadSchemas(t *testing.T) map[string]*protocolSchema {
	t.Helper()
	dir := os.Getenv("ACP_SCHEMA")
	if dir == "" {
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			cache = filepath.Join(os.Getenv("HOME"), ".cache")
		}
		dir = filepath.Join(cache, "acpharness", "schema", "2.4.0", "schema", "v1")
	}
	schemas := map[string]*protocolSchema{}
	for _, name := range []string{"schema", "schema.unstable"} {
		raw, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil && os.Getenv("CI") == "" {
			t.Skipf("the official schema is not here, test/schema.sh fetches it: %v", err)
		}
		require.NoError(t, err)
		schemas[name], err = readSchema(raw)
		require.NoError(t, err)
	}
	return schemas
}

// excluded says what of the schema this package does not have, by the name of a definition or the label of a member, and why.
var excluded = map[string]string{
	"InitializeProxyRequest":        "a proxy's method: this package is a client",
	"InitializeProxyResponse":       "a proxy's method: this package is a client",
	"ProxySuccessorRequest":         "a proxy's method: this package is a client",
	"ProxySuccessorResponse":        "a proxy's method: this package is a client",
	"ProxySuccessorNotification":    "a proxy's method: this package is a client",
	"MessageMcpRequest":             "MCP over ACP is a draft that no agent at hand speaks: no server of type acp is offered, so that no message comes for one",
	"MessageMcpResponse":            "MCP over ACP is a draft that no agent at hand speaks",
	"MessageMcpNotification":        "MCP over ACP is a draft that no agent at hand speaks",
	"McpServer(type=acp)":           "MCP over ACP is a draft that no agent at hand speaks",
	"McpServerAcp.name":             "MCP over ACP is a draft that no agent at hand speaks",
	"McpServerAcp.serverId":         "MCP over ACP is a draft that no agent at hand speaks",
	"McpCapabilities.acp":           "MCP over ACP is a draft that no agent at hand speaks",
	"ElicitationSchema.type":        "it has one value, object, and says nothing",
	"ElicitationSchemaType":         "it has one value, object, and says nothing",
	"ElicitationSchema.required":    "it names fields: TestForm tells one that is required from one that is not",
	"MultiSelectItems(type=string)": "items of another type have no choices that could be read, so that there is nothing to tell",
	"CancelRequestNotification":     "both ways are tested by name, see TestWhatEndsARequest and the calls that are given up",
}

// enums are the types whose constants are the values of a definition.
var enums = map[string]string{
	"ToolKind": "ToolKind", "ToolCallStatus": "ToolCallStatus", "Role": "Role", "PermissionOptionKind": "PermissionKind", "StringFormat": "StringFormat",
	"SessionConfigOptionCategory": "ConfigCategory", "StopReason": "StopReason", "ErrorCode": "ErrorCode", "PlanEntryPriority": "PlanEntryPriority",
	"PlanEntryStatus": "PlanEntryStatus", "NoticeSeverity": "NoticeSeverity", "CompactionStatus": "CompactionStatus", "LlmProtocol": "LLMProtocol",
	"AuthState": "AuthState", "SessionStatus": "SessionStatus", "SystemPromptMode": "SystemPromptMode", "SessionArchiveFilter": "ArchiveFilter",
}

// discriminated are the types whose constants are the discriminators of a union.
var discriminated = map[string]string{
	"SessionUpdate": "UpdateKind", "CreateElicitationResponse": "ElicitationAction", "SessionConfigOption": "ConfigType", "ElicitationPropertySchema": "FormFieldType",
	"StateUpdate": "WorkState", "AuthMethod": "AuthType", "IdleStateUpdate": "StopReason",
}

// TestSchema holds this package to the official schema: every method, notification, variant, member and value in it is in our
// model, or stands in the list of what is not, with a reason. A member is in the model if two messages that differ in it alone
// are read as two different values, or if it is in what we send.
func TestSchema(t *testing.T) {
	unused := maps.Clone(excluded)
	skip := func(label string) bool {
		_, ok := excluded[label]
		delete(unused, label)
		return ok
	}
	says, we := agentSays(t), weSay()
	constants, methods := sourceConstants(t)
	for name, schema := range loadSchemas(t) {
		t.Run(name, func(t *testing.T) {
			counts := map[string]int{}
			for _, def := range slices.Sorted(maps.Keys(schema.defs)) {
				node := schema.defs[def]
				method, isMessage := node["x-method"].(string)
				if !isMessage || skip(def) {
					continue
				}
				counts["messages"]++
				fromAgent := (node["x-side"] == "client") != strings.HasSuffix(def, "Response")
				if fromAgent {
					read := says[def]
					if !assert.NotNil(t, read, "%s (%s) is not read", def, method) {
						continue
					}
					for _, d := range schema.differences(def, node) {
						if len(d.labels) == 0 || slices.ContainsFunc(d.labels, skip) {
							continue // an empty message is read by its call
						}
						counts["things that are read"]++
						a, b := readAs(t, read, d.a), readAs(t, read, d.b)
						assert.NotEqual(t, a, b, "%s: %s is not in the model", def, strings.Join(d.labels, " > "))
					}
					continue
				}
				assert.True(t, methods[method] || strings.HasSuffix(def, "Response"), "%s is not sent", method)
				if !assert.NotEmpty(t, we[def], "%s (%s) is not sent", def, method) {
					continue
				}
				want, seen := map[string]bool{}, map[string]bool{}
				schema.labels(def, node, want)
				for _, params := range we[def] {
					schema.present(def, node, wireValue(t, params), seen)
				}
				for _, label := range slices.Sorted(maps.Keys(want)) {
					if !skip(label) {
						counts["things that are sent"]++
						assert.True(t, seen[label], "%s: %s is never sent", def, label)
					}
				}
			}
			for def, node := range schema.defs {
				values := fixedValues(node)
				typ := enums[def]
				if len(values) == 0 || skip(def) {
					if values = discriminators(node, discriminated[def]); len(values) == 0 {
						continue
					}
					typ = discriminated[def]
				}
				for _, v := range values {
					counts["values"]++
					assert.True(t, constants[typ][v], "%s: the value %s is no constant of %q", def, v, typ)
				}
			}
			t.Log(counts)
			assert.Greater(t, counts["things that are read"], 100)
		})
	}
	assert.Empty(t, unused, "exclusions that exclude nothing")
}

// wireValue is what is sent for params or a result.
func wireValue(t *testing.T, v any) any {
	t.Helper()
	encoded, err := appendValue(nil, v)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(encoded, &value))
	return value
}

// readAs renders what a message is read as, without the bytes that are kept of it.
func readAs(t *testing.T, read func(json.RawMessage) any, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	var b strings.Builder
	render(&b, reflect.ValueOf(read(raw)))
	return b.String()
}

func valueOf(v reflect.Value) any {
	if !v.IsValid() || !v.CanInterface() {
		return nil
	}
	return v.Interface()
}

func render(b *strings.Builder, v reflect.Value) {
	value := valueOf(v)
	_, rpc := value.(*Error)
	if err, ok := value.(error); ok && !rpc && v.Kind() == reflect.Pointer && !v.IsNil() {
		b.WriteString(err.Error())
		return
	}
	switch v.Kind() {
	case reflect.Invalid:
		b.WriteString("nil")
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		if v.Kind() == reflect.Pointer {
			b.WriteByte('&')
		}
		render(b, v.Elem())
	case reflect.Struct:
		b.WriteString(v.Type().Name() + "{")
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Raw" && f.Type.Kind() != reflect.Chan {
				b.WriteString(f.Name + ":")
				render(b, v.Field(i))
				b.WriteByte(' ')
			}
		}
		b.WriteByte('}')
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			fmt.Fprintf(b, "%q", v.Bytes())
			return
		}
		if v.IsNil() {
			b.WriteString("nil")
		}
		b.WriteByte('[')
		for i := range v.Len() {
			render(b, v.Index(i))
			b.WriteByte(' ')
		}
		b.WriteByte(']')
	default:
		fmt.Fprintf(b, "%#v", v)
	}
}

// fixedValues returns the values of an enumeration.
func fixedValues(node schemaNode) []string {
	var values []string
	for _, choice := range choicesOf(node) {
		if v, ok := choice["const"]; ok {
			values = append(values, fmt.Sprint(v))
		}
	}
	return values
}

// discriminators returns the values that tell the variants of a union apart, if a type of ours is for them.
func discriminators(node schemaNode, typ string) []string {
	var values []string
	if typ == "" {
		return nil
	}
	for _, choice := range choicesOf(node) {
		properties, _ := choice["properties"].(map[string]any)
		for _, p := range properties {
			if v, ok := p.(map[string]any)["const"]; ok {
				values = append(values, fmt.Sprint(v))
			}
		}
	}
	return values
}

// sourceConstants returns the values of the constants of this package by their types, and the methods that it knows.
func sourceConstants(t *testing.T) (byType map[string]map[string]bool, methods map[string]bool) {
	t.Helper()
	byType, methods = map[string]map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				value := strings.Trim(constantText(spec.Values[i]), `"`)
				if strings.HasPrefix(name.Name, "method") {
					methods[value] = true
				}
				if typ, ok := spec.Type.(*ast.Ident); ok {
					if byType[typ.Name] == nil {
						byType[typ.Name] = map[string]bool{}
					}
					byType[typ.Name][value] = true
				}
			}
			return true
		})
	}
	return byType, methods
}

func constantText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.UnaryExpr:
		return e.Op.String() + constantText(e.X)
	}
	return ""
}
