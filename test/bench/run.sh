#!/bin/sh
# Builds the benchmark, installs the pinned TypeScript SDK and runs everything: run.sh [--quick] [--json].
# Nothing is written into the tree; builds and packages go to ${XDG_CACHE_HOME:-~/.cache}/acpharness-bench.
# Further options go to "bench run", see main.go. Without node and npm the TypeScript SDK is left out.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/acpharness-bench
ts=$cache/ts

mkdir -p "$ts"
(cd "$here" && go build -o "$cache/bench" .)

if command -v npm >/dev/null && command -v node >/dev/null; then
	if ! cmp -s "$here/ts/package-lock.json" "$ts/installed"; then
		cp "$here/ts/package.json" "$here/ts/package-lock.json" "$ts/"
		(cd "$ts" && npm ci --ignore-scripts --no-audit --no-fund >&2)
		cp "$ts/package-lock.json" "$ts/installed"
	fi
	cp "$here/ts/client.mjs" "$ts/"
	set -- --ts "$ts" "$@"
else
	echo "run.sh: no node and npm: the TypeScript SDK is left out" >&2
fi

exec "$cache/bench" run "$@"
