# Sourced by the other scripts, which stand in the checkout's folder: makes a virtual environment.
#
#   environment [EXTRAS]   after it, $VENV/bin holds Python and morris with the packages of the
#                          extras, such as test or test,browser
#
# VENV    the environment's folder; default .venv. If it is there, only what is missing is added.
# PYTHON  the interpreter to make it with; default: the first that is 3.10 or newer.

# Python writes down what it makes of modules, or every process would read all of Numba anew.
unset PYTHONDONTWRITEBYTECODE

VENV=${VENV:-.venv}
[[ $VENV == /* ]] || VENV=$PWD/$VENV

environment() {
    local extras=${1:-} requirement=. stamp
    [ -z "$extras" ] || requirement=".[$extras]"
    stamp=$VENV/installed-${extras:-plain}.toml
    make_environment
    # Nothing to install as long as pyproject.toml has not changed.
    if ! cmp -s pyproject.toml "$stamp"; then
        echo "installing $requirement into $VENV" >&2
        install_packages --editable "$requirement"
        cp pyproject.toml "$stamp"
    fi
}

make_environment() {
    local python
    if [ ! -x "$VENV/bin/python" ]; then
        python=$(find_python)
        echo "making a virtual environment in $VENV" >&2
        if ! "$python" -m venv "$VENV" >&2; then
            rm -rf "$VENV"
            echo "Error: $python cannot make virtual environments;" \
                "on Debian and Ubuntu install the package python3-venv" >&2
            exit 1
        fi
    fi
}

# install_packages ARGUMENTS...   into $VENV, as pip does; by uv, which takes a quarter of the time
install_packages() {
    pip install uv && "$VENV/bin/uv" pip install --quiet --python "$VENV/bin/python" "$@" >&2 ||
        pip install "$@" # uv knows nothing of pip's settings, such as another index
}

pip() {
    "$VENV/bin/python" -m pip --quiet --disable-pip-version-check "$@" >&2
}

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python python3.14 python3.13 python3.12 \
        python3.11 python3.10; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "Error: Python 3.10 or newer is needed; name one with PYTHON=..." >&2
    exit 1
}
