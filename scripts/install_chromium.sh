#!/bin/sh
# Installs Debian's Chromium for the tests that look at pages in a real browser; does nothing where there is one.
# Usage: scripts/install_chromium.sh
set -eu
if [ -n "${WRAC_CHROMIUM:-}" ] || command -v chromium >/dev/null; then exit 0; fi
command -v apt-get >/dev/null || {
    echo "no Chromium, and no apt-get to install it (set WRAC_CHROMIUM=/path/to/chromium)" >&2
    exit 1
}
as=
if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || {
        echo "no Chromium; run: sudo apt-get install -y chromium" >&2
        exit 1
    }
    as="sudo -n"
fi
export DEBIAN_FRONTEND=noninteractive
install="$as apt-get -qq -y install --no-install-recommends chromium"
$install >/dev/null || { $as apt-get -qq update >/dev/null && $install >/dev/null; } # a new machine has no package lists yet
