# Sourced by the scripts that run GHLO beside JAX and IREE; $here is their folder, a sibling of
# this one. Makes a virtual environment of their own with both from PyPI on first use, with XLA's
# CUDA where the arguments name it. Takes --build=DIR (build) out of the arguments, and has GHLO
# found in that build tree, and --python=PROGRAM, which has the packages already. A script may set
# $environment, the environment's name, $more, further packages, $finish, a Python program that
# completes it, and $optional, where nothing is to be installed but what is there is used.
# shellcheck shell=sh disable=SC2154
build=$here/../../../build
jax=jax
python=

for argument in "$@"; do
  shift
  case "$argument" in
    --build=*) build=${argument#--build=} ;;
    --python=*) python=${argument#--python=} ;;
    *) set -- "$@" "$argument" ;;
  esac
  case "$argument" in *=*cuda*) jax='jax[cuda13]' ;; esac
done
if [ -z "$python" ]; then
  packages="$jax==0.10.2 iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 matplotlib${more:+ $more}"
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/ghlo-tests/${environment:-compare}-$(echo "$packages" | cksum | cut -d ' ' -f 1)
  python=$folder/bin/python
  if [ ! -e "$folder/done" ] && [ -n "${optional:-}" ]; then
    echo "the packages are not installed; --install makes an environment of them in $folder" >&2
    python=/usr/bin/python3
  elif [ ! -e "$folder/done" ]; then
    /usr/bin/python3 -m venv --system-site-packages "$folder"
    # shellcheck disable=SC2086
    "$folder/bin/pip" install --quiet $packages
    [ -z "${finish:-}" ] || "$python" "$finish"
    touch "$folder/done"
  fi
fi

build=$(cd "$build" && pwd)
export LD_LIBRARY_PATH="$build/src/ghlo${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$here/../compare${PYTHONPATH:+:$PYTHONPATH}" GHLO_TOOL="$build/src/tools/ghlo"
export GHLO_PJRT_PLUGIN="$build/src/pjrt/pjrt_c_api_ghlo_plugin.so"
