# Sourced by the scripts that run GHLO beside JAX and IREE; $here is their folder, a sibling of
# this one. Makes a virtual environment of their own with both from PyPI on first use, takes
# --build=DIR (build) out of the arguments, and has GHLO found in that build tree.
# shellcheck shell=sh disable=SC2154
build=$here/../../../build
packages='jax==0.10.2 iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 matplotlib'
folder=${XDG_CACHE_HOME:-$HOME/.cache}/ghlo-tests/compare-$(echo "$packages" | cksum | cut -d ' ' -f 1)

for argument in "$@"; do
  shift
  case "$argument" in
    --build=*) build=${argument#--build=} ;;
    *) set -- "$@" "$argument" ;;
  esac
done
if [ ! -e "$folder/done" ]; then
  /usr/bin/python3 -m venv --system-site-packages "$folder"
  # shellcheck disable=SC2086
  "$folder/bin/pip" install --quiet $packages
  touch "$folder/done"
fi

build=$(cd "$build" && pwd)
export GI_TYPELIB_PATH="$build/introspection" LD_LIBRARY_PATH="$build/src/ghlo" JAX_PLATFORMS=cpu
export PYTHONPATH="$here/../../../introspection:$here/../compare" GHLO_TOOL="$build/src/tools/ghlo"
