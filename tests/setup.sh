# Sourced by tests/run and examples/quickstart: installs what is missing of
# packages.txt and builds. Needs $root, the top of the source tree.

# Prints the packages of packages.txt.
list_packages () {
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/tests/packages.txt"
}

# Prints those of the packages given that are not installed.
missing_of () {
  for package in "$@"; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# Installs the packages given; asks first on a terminal unless $assume_yes is 1. Elsewhere than
# on Debian prints the list and stops. Packages NAME:arm64 make dpkg know that architecture.
install_named () {
  if ! grep -qs '^ID=debian$' /etc/os-release; then
    echo 'This is not Debian. Install the counterparts of these packages, then run meson yourself:' >&2
    printf '%s\n' "$@" >&2
    exit 1
  fi

  missing=$(missing_of "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0

  if [ "${assume_yes:-0}" != 1 ] && [ -t 0 ]; then
    printf 'Debian packages to install: %s\nInstall them now? [Y/n] ' "$missing"
    read -r answer
    case "$answer" in
      '' | y | Y | yes) ;;
      *) echo 'Nothing was installed.'; exit 1 ;;
    esac
  fi

  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  case "$missing" in
    *:arm64*) $as_root dpkg --add-architecture arm64 ;;
  esac
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing > /dev/null
}

install_packages () {
  # shellcheck disable=SC2046
  install_named $(list_packages)
}

# Sets up and builds $root in the folder given, with further meson options. $NICE is a command to build by, and
# $TARGETS what to build, all where it is empty.
build_in () {
  folder=$1
  shift
  if [ ! -f "$folder/build.ninja" ]; then
    mkdir -p "$folder"
    PATH=/usr/bin:$PATH meson setup "$folder" "$root" "$@" > "$folder/setup.log" 2>&1 || { cat "$folder/setup.log" >&2; exit 1; }
  fi
  # shellcheck disable=SC2086
  PATH=/usr/bin:$PATH ${NICE-} ninja -C "$folder" --quiet ${TARGETS-}
}
