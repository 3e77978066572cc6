module github.com/acpharness/acpharness/test/bench

go 1.26.0

replace github.com/acpharness/acpharness => ../..

require (
	github.com/acpharness/acpharness v0.0.0-00010101000000-000000000000
	github.com/coder/acp-go-sdk v0.13.5
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/creack/pty v1.1.24 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/sourcegraph/jsonrpc2 v0.2.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
