# Sourced by tests/jax/run and tests/interop/run: the virtual environment with JAX that both use. Sets $jax, its folder;
# it is there where $jax/done is.

packages='jax==0.10.2 numpy scipy absl-py flatbuffers optax flax'
jax=${XDG_CACHE_HOME:-$HOME/.cache}/ghlo-tests/jax-$(echo "$packages" | cksum | cut -d ' ' -f 1)

# Makes it, with packages from PyPI, unless it is there.
install_jax () {
  [ ! -e "$jax/done" ] || return 0
  /usr/bin/python3 -m venv "$jax"
  # shellcheck disable=SC2086
  "$jax/bin/pip" install --quiet $packages
  touch "$jax/done"
}

# Ends a test where it is not there.
need_jax () {
  [ -e "$jax/done" ] || { echo "1..0 # SKIP there is no JAX; $1 --install"; exit 0; }
}

# Ends JAX's own tests where what they need is not there.
need_upstream () {
  [ -e "$jax/done-upstream" ] || { echo "$1: JAX's own tests need more packages: $1 --install --upstream=DIR" >&2; exit 2; }
}

# Adds what JAX's own tests need.
install_for_upstream () {
  [ ! -e "$jax/done-upstream" ] || return 0
  "$jax/bin/pip" install --quiet cloudpickle filelock 'hypothesis==6.142.1' matplotlib 'mpmath==1.3.0' pillow portpicker \
    'pytest<9' rich
  touch "$jax/done-upstream"
}
