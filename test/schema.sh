#!/usr/bin/env bash
# Fetches the official schema of the protocol, which the tests of package acp hold it to, and prints the folder: test/schema.sh
#
# It is part of a package of npm's, whose version and contents are pinned here.
set -euo pipefail

package=@agentclientprotocol/sdk
version=2.4.0
integrity=sha512-7qJ8nnyj7WesC5ve185ioTpB2/svQoeGV4HA4nLEhgDUrcmBe54/08VcXc/oL4p14tDbxxECZzdYmUYQ+4l+Wg==

cache=${XDG_CACHE_HOME:-$HOME/.cache}/acpharness/schema
dir=$cache/$version
if [ ! -f "$dir/schema/v1/schema.json" ] || [ "$(cat "$dir/integrity" 2>/dev/null)" != "$integrity" ]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  (cd "$scratch" && npm pack --silent "$package@$version" >/dev/null)
  have=sha512-$(node -p 'crypto.createHash("sha512").update(fs.readFileSync(process.argv[1])).digest("base64")' "$scratch"/*.tgz)
  if [ "$have" != "$integrity" ]; then
    echo "schema.sh: $package@$version is not what it was: $have" >&2
    exit 1
  fi
  tar -xzf "$scratch"/*.tgz -C "$scratch" package/schema package/LICENSE
  echo "$integrity" >"$scratch/package/integrity"
  mkdir -p "$cache"
  rm -rf "$dir"
  mv "$scratch/package" "$dir"
fi
echo "$dir/schema/v1"
