#!/bin/sh
# Installs the TypeScript SDK that the interop test runs against, pinned by ts/package-lock.json, and prints its folder.
#
# That is $ACP_INTEROP or, without it, acpharness/interop in the cache folder of the user. What is there as pinned is left
# alone. Needs node and npm.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${ACP_INTEROP:-${XDG_CACHE_HOME:-$HOME/.cache}/acpharness/interop}

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
	echo "install.sh: cannot install the TypeScript SDK: node and npm are not on PATH" >&2
	exit 1
fi

# The stamp is written last: a run that was cut short is begun anew.
if ! cmp -s "$here/ts/package-lock.json" "$folder/installed"; then
	mkdir -p "$folder"
	rm -f "$folder/installed"
	cp "$here/ts/package.json" "$here/ts/package-lock.json" "$folder/"
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
	cp "$folder/package-lock.json" "$folder/installed"
fi
echo "$folder"
