package test_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// direction says which packages of ours a package may import. "dir/*" stands
// for every package below dir and "*" for all; a row that names a package
// outright goes before one that matches it.
type direction struct {
	pkg string
	may []string
	not []string // taken back from may
}

// directions is the architecture. A new package gets a row here and a line in
// docs/architecture.md.
var directions = []direction{
	{pkg: "internal/ndjson", may: []string{"internal/*"}},
	{pkg: "internal/proc", may: []string{"internal/*"}},
	{pkg: "internal/rewrite"},
	{pkg: "internal/loopback", may: []string{"internal/*"}},
	{pkg: "internal/fakemodel", may: []string{"internal/*"}},
	{pkg: "internal/fakemcp", may: []string{"internal/*"}},
	{pkg: "internal/fakeagent", may: []string{"internal/*"}},
	{pkg: "acp", may: []string{"internal/ndjson", "internal/proc"}},
	{pkg: "acp/permission", may: []string{"acp", "internal/proc"}},
	{pkg: "acp/workspace", may: []string{"acp", "internal/proc"}},
	{pkg: "acp/terminal", may: []string{"acp", "internal/proc"}},
	{pkg: "acp/transcript", may: []string{"acp", "internal/proc"}},
	{pkg: "acp/acptest", may: []string{"acp", "internal/fakeagent"}},
	{pkg: "backends"},
	{pkg: "provider", may: []string{"acp", "backends", "internal/proc"}},
	{pkg: "harness/mcpfile", may: []string{"backends", "internal/rewrite"}},
	{pkg: "harness/mcppool", may: []string{"internal/proc"}},
	{pkg: "harness/gateway", may: []string{"harness/mcppool", "acp"}},
	{pkg: "harness/grants", may: []string{"acp", "acp/permission", "internal/rewrite"}},
	{
		pkg: "harness",
		may: []string{"provider", "backends", "acp", "acp/*", "harness/*", "internal/proc"},
		not: []string{"acp/acptest"},
	},
	{pkg: "parity/probe", may: []string{"provider", "acp", "backends"}},
	{pkg: "parity/bench", may: []string{"backends", "internal/proc", "internal/fakemodel", "internal/fakemcp"}},
	{
		pkg: "parity/reconcile",
		may: []string{"parity/probe", "parity/bench", "provider", "acp", "backends", "harness/mcpfile"},
	},
	{pkg: "parity", may: []string{"parity/probe", "provider", "acp", "backends"}},
	{pkg: "parity/paritytest", may: []string{"parity"}},
	{pkg: "cmd/acpctl", may: []string{"*"}, not: []string{"acp/acptest", "parity/paritytest"}},
	{pkg: "cmd/acpctl/*", may: []string{"*"}, not: []string{"acp/acptest", "parity/paritytest"}},
	{pkg: "test", may: []string{"*"}},
	{pkg: "test/*", may: []string{"*"}},
}

// reserved names imports from elsewhere that stand behind one door.
var reserved = []struct {
	imported string   // an import path; everything below it counts too
	by       []string // the packages of ours that may, outside their tests
}{
	{imported: "testing", by: []string{"parity/paritytest"}},
	{imported: "github.com/stretchr/testify", by: []string{"parity/paritytest"}},
	{imported: "go.uber.org/goleak"},
	{imported: "github.com/rogpeppe/go-internal/testscript"},
	{imported: "github.com/Masterminds/semver", by: []string{"backends"}},
	{imported: "github.com/sourcegraph/jsonrpc2", by: []string{"acp"}},
}

// typesOnly are the importers of backends that may name its types and values
// and call none of its functions: they know no agent.
var typesOnly = []string{"harness", "harness/mcpfile"}

// defaultLogger lists what reaches a process-wide logger.
var defaultLogger = map[string][]string{
	"log/slog": {
		"Default", "SetDefault", "SetLogLoggerLevel", "With", "Log", "LogAttrs",
		"Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext",
	},
	"log": {
		"Default", "SetOutput", "SetFlags", "SetPrefix", "Writer", "Output", "Print", "Printf", "Println",
		"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln",
	},
}

func TestPackageDirections(t *testing.T) {
	t.Parallel()
	noneFound(t, checkDirections(importsByPackage(goFiles(t, root()))), "package directions")
}

func TestReservedImports(t *testing.T) {
	t.Parallel()
	noneFound(t, checkReserved(importsByPackage(goFiles(t, root()))), "reserved imports")
}

func TestUsesAcrossPackages(t *testing.T) {
	t.Parallel()
	files := goFiles(t, root())
	noneFound(t, checkExternalTests(files), "tests that use acptest")
	noneFound(t, checkTypesOnly(files), "backends for its types only")
	noneFound(t, checkDefaultLogger(files), "the default logger")
}

// importsByPackage maps each package of the module to what its non-test files
// import, over all platforms.
func importsByPackage(files []*goFile) map[string][]string {
	imports := map[string][]string{}
	for _, f := range files {
		if f.nested || (f.test() && imports[f.dir()] != nil) {
			continue
		}
		list := imports[f.dir()]
		if list == nil {
			list = []string{} // a package with tests only must be in the table too
		}
		if !f.test() {
			for _, spec := range f.syntax.Imports {
				list = append(list, importPath(spec))
			}
		}
		imports[f.dir()] = list
	}
	for pkg, list := range imports {
		slices.Sort(list)
		imports[pkg] = slices.Compact(list)
	}
	return imports
}

// checkDirections reports imports among our packages that the table does not allow.
func checkDirections(imports map[string][]string) []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		row, ok := rowOf(pkg)
		if !ok {
			found = append(found, fmt.Sprintf(
				"package %s has no row in the table `directions` of test/deps_test.go: say there what it may import", pkg))
			continue
		}
		for _, target := range imports[pkg] {
			ours, ok := strings.CutPrefix(target, module+"/")
			if ok && (!matchesAny(row.may, ours) || matchesAny(row.not, ours)) {
				found = append(found, fmt.Sprintf("package %s must not import %s", pkg, ours))
			}
		}
	}
	return found
}

// checkReserved reports imports from elsewhere by packages that have no right to them.
func checkReserved(imports map[string][]string) []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		for _, target := range imports[pkg] {
			for _, r := range reserved {
				if within(target, r.imported) && !slices.Contains(r.by, pkg) {
					found = append(found, fmt.Sprintf("package %s must not import %s outside its tests", pkg, target))
				}
			}
		}
	}
	return found
}

// checkExternalTests reports tests of acp that use acptest from inside the package.
func checkExternalTests(files []*goFile) []string {
	var found []string
	for _, f := range files {
		if f.dir() != "acp" || !f.test() || strings.HasSuffix(f.syntax.Name.Name, "_test") {
			continue
		}
		for _, spec := range f.syntax.Imports {
			if importPath(spec) == module+"/acp/acptest" {
				found = append(found, f.at(spec.Pos(), "a test that uses acptest belongs in package acp_test"))
			}
		}
	}
	return found
}

// checkTypesOnly reports uses of functions of backends where only its types are allowed.
func checkTypesOnly(files []*goFile) []string {
	functions := map[string]bool{}
	for _, f := range files {
		if f.dir() != "backends" || f.test() {
			continue
		}
		for _, decl := range f.syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				functions[fn.Name.Name] = true
			}
		}
	}
	var found []string
	for _, f := range files {
		if f.test() || !slices.Contains(typesOnly, f.dir()) {
			continue
		}
		f.uses(module+"/backends", func(selected *ast.Ident) {
			if functions[selected.Name] {
				found = append(found, f.at(selected.Pos(), "%s may use types of backends, not its function %s", f.dir(), selected.Name))
			}
		})
	}
	return found
}

// checkDefaultLogger reports code outside tests that logs where its caller did not ask for it.
func checkDefaultLogger(files []*goFile) []string {
	var found []string
	for _, f := range files {
		if f.test() {
			continue
		}
		for target, names := range defaultLogger {
			f.uses(target, func(selected *ast.Ident) {
				if slices.Contains(names, selected.Name) {
					found = append(found, f.at(selected.Pos(), "%s.%s is the process-wide logger: take a *slog.Logger from options", target, selected.Name))
				}
			})
		}
	}
	return found
}

func rowOf(pkg string) (direction, bool) {
	for _, exact := range []bool{true, false} {
		for _, row := range directions {
			if row.pkg == pkg || (!exact && matches(row.pkg, pkg)) {
				return row, true
			}
		}
	}
	return direction{}, false
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
}

func matches(pattern, pkg string) bool {
	if below, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(pkg, below)
	}
	return pattern == pkg
}

// within reports whether an import path is base or below it.
func within(target, base string) bool {
	return target == base || strings.HasPrefix(target, base+"/")
}

func TestDirectionsReportPlantedViolations(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pkg, imported string
		allowed       bool
	}{
		{pkg: "acp", imported: "internal/ndjson", allowed: true},
		{pkg: "acp", imported: "internal/fakeagent"},
		{pkg: "acp", imported: "acp/transcript"},
		{pkg: "acp/acptest", imported: "internal/fakeagent", allowed: true},
		{pkg: "acp/acptest", imported: "internal/proc"},
		{pkg: "backends", imported: "acp"},
		{pkg: "harness", imported: "acp/terminal", allowed: true},
		{pkg: "harness", imported: "acp/acptest"},
		{pkg: "harness/mcpfile", imported: "harness"},
		{pkg: "internal/fakeagent", imported: "internal/ndjson", allowed: true},
		{pkg: "internal/fakeagent", imported: "harness/mcpfile"},
		{pkg: "parity", imported: "harness"},
		{pkg: "parity/reconcile", imported: "harness/mcpfile", allowed: true},
		{pkg: "cmd/acpctl", imported: "parity/reconcile", allowed: true},
		{pkg: "cmd/acpctl", imported: "parity/paritytest"},
		{pkg: "cmd/acpctl/render", imported: "harness", allowed: true},
		{pkg: "cmd/acpctl/render", imported: "acp/acptest"},
	} {
		var want []string
		if !tc.allowed {
			want = []string{fmt.Sprintf("package %s must not import %s", tc.pkg, tc.imported)}
		}
		assert.Equal(t, want, checkDirections(map[string][]string{
			tc.pkg: {"context", module + "/" + tc.imported},
		}), "%s imports %s", tc.pkg, tc.imported)
	}

	unknown := checkDirections(map[string][]string{"util": {"strings"}})
	require.Len(t, unknown, 1)
	assert.Contains(t, unknown[0], "test/deps_test.go")
}

func TestReservedReportsPlantedViolations(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pkg, imported string
		allowed       bool
	}{
		{pkg: "acp/acptest", imported: "testing"},
		{pkg: "acp/acptest", imported: "github.com/stretchr/testify/require"},
		{pkg: "internal/fakemcp", imported: "testing/fstest"},
		{pkg: "parity/paritytest", imported: "testing", allowed: true},
		{pkg: "provider", imported: "github.com/Masterminds/semver/v3"},
		{pkg: "backends", imported: "github.com/Masterminds/semver/v3", allowed: true},
		{pkg: "harness", imported: "github.com/sourcegraph/jsonrpc2"},
		{pkg: "acp", imported: "github.com/sourcegraph/jsonrpc2", allowed: true},
	} {
		found := checkReserved(map[string][]string{tc.pkg: {tc.imported}})
		assert.Equal(t, tc.allowed, len(found) == 0, "%s imports %s: %v", tc.pkg, tc.imported, found)
	}
}

func TestUsesReportPlantedViolations(t *testing.T) {
	t.Parallel()
	files := []*goFile{
		parse(t, "acp/in_test.go", "package acp\nimport \""+module+"/acp/acptest\"\nvar _ = acptest.New"),
		parse(t, "acp/out_test.go", "package acp_test\nimport \""+module+"/acp/acptest\"\nvar _ = acptest.New"),
		parse(t, "backends/list.go", "package backends\nfunc All() []Edit { return nil }\ntype Edit string"),
		parse(t, "harness/gate.go", "package harness\nimport b \""+module+"/backends\"\nvar _ b.Edit\nvar _ = b.All()"),
		parse(t, "provider/ok.go", "package provider\nimport \""+module+"/backends\"\nvar _ = backends.All()"),
		parse(t, "provider/log.go", "package provider\nimport \"log/slog\"\nvar _ = slog.Default()\nvar _ *slog.Logger"),
		parse(t, "provider/log2.go", "package provider\nimport l \"log\"\nfunc f() { l.Printf(\"\") }"),
		parse(t, "provider/mine.go", "package provider\nfunc g(log logger) { log.Print() }"),
	}
	assert.Equal(t, []string{"acp/in_test.go:2: a test that uses acptest belongs in package acp_test"},
		checkExternalTests(files))
	assert.Equal(t, []string{"harness/gate.go:4: harness may use types of backends, not its function All"},
		checkTypesOnly(files))
	logs := checkDefaultLogger(files)
	require.Len(t, logs, 2)
	assert.Contains(t, logs[0], "provider/log.go:3: log/slog.Default")
	assert.Contains(t, logs[1], "provider/log2.go:3: log.Printf")
}
