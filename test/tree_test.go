package test_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the import path of the tree's root.
const module = "github.com/acpharness/acpharness"

// root is the tree under test.
func root() fs.FS { return os.DirFS("..") }

// goFile is one Go file of the tree, whatever its build constraints.
type goFile struct {
	path   string // slash-separated, from the root of the tree
	nested bool   // belongs to a module of its own below the root
	src    string
	fset   *token.FileSet
	syntax *ast.File
}

// dir is the file's directory: the package path below the module's.
func (f *goFile) dir() string { return path.Dir(f.path) }

// test reports whether only `go test` compiles the file.
func (f *goFile) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// at renders a finding at a place in the file.
func (f *goFile) at(pos token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, f.fset.Position(pos).Line, fmt.Sprintf(format, args...))
}

// imports maps the name by which the file calls an import to its path.
func (f *goFile) imports() map[string]string {
	names := map[string]string{}
	for _, spec := range f.syntax.Imports {
		target := importPath(spec)
		name := path.Base(target)
		if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" {
			name = path.Base(path.Dir(target))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = target
	}
	return names
}

// uses calls visit for every `name.Selected` whose name is an import of target.
func (f *goFile) uses(target string, visit func(selected *ast.Ident)) {
	imports := f.imports()
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] == target {
				visit(sel.Sel)
			}
		}
		return true
	})
}

func importPath(spec *ast.ImportSpec) string {
	target, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return target
}

// outside names directories that hold no source of ours.
func outside(dir string) bool {
	return dir == ".git" || dir == "tools" || path.Base(dir) == "testdata" || path.Base(dir) == "vendor"
}

// walk calls visit for every regular file of ours.
func walk(t *testing.T, tree fs.FS, visit func(name string)) {
	t.Helper()
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && outside(name):
			return fs.SkipDir
		case entry.Type().IsRegular():
			visit(name)
		}
		return nil
	}))
}

// goFiles parses all Go files of the tree.
func goFiles(t *testing.T, tree fs.FS) []*goFile {
	t.Helper()
	var files []*goFile
	var modules []string
	walk(t, tree, func(name string) {
		switch {
		case path.Base(name) == "go.mod" && name != "go.mod":
			modules = append(modules, path.Dir(name)+"/")
		case path.Ext(name) == ".go":
			src, err := fs.ReadFile(tree, name)
			require.NoError(t, err)
			files = append(files, parse(t, name, string(src)))
		}
	})
	for _, f := range files {
		f.nested = slices.ContainsFunc(modules, func(dir string) bool { return strings.HasPrefix(f.path, dir) })
	}
	require.NotEmpty(t, files, "found no Go files")
	return files
}

func parse(t *testing.T, name, src string) *goFile {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	return &goFile{path: name, src: src, fset: fset, syntax: syntax}
}

// noneFound fails the test with one line for each finding.
func noneFound(t *testing.T, found []string, rule string) {
	t.Helper()
	if len(found) > 0 {
		t.Errorf("%s:\n\t%s", rule, strings.Join(found, "\n\t"))
	}
}
