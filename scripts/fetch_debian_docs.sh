#!/bin/sh
# Fetches the Debian documentation packages that tests and benchmarks read into .cache/debian (no root needed).
# Usage: scripts/fetch_debian_docs.sh [FOLDER]
set -eu
folder=${1:-"$(dirname "$0")/../.cache/debian"}
packages="python3.11-doc postgresql-doc-15 debian-faq debian-faq-de"
command -v apt-get >/dev/null && command -v dpkg >/dev/null || {
    echo "needs apt-get and dpkg (Debian or a relative of it)" >&2
    exit 1
}
mkdir -p "$folder"
cd "$folder"
for package in $packages; do
    ls "$package"_*.deb >/dev/null 2>&1 || apt-get -q download "$package" ||
        { apt-get -q update && apt-get -q download "$package"; } # a new machine has no package lists yet
    dpkg -x "$package"_*.deb .
done
echo "pages in $PWD/usr/share/doc"
