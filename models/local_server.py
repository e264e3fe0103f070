"""The process that serves a GGUF file on 127.0.0.1 until whoever started it goes.

    python -m peephole.models.local_server FILE NAME CONTEXT SLOTS THREADS FOLDER

CONTEXT: tokens that each of the SLOTS conversations may have. FOLDER: for what is copied from one
slot to another. Prints {"listening": URL} once it is ready; the port is a free one.
"""

from __future__ import annotations

import json
import os
import shutil
import sys

#: What conversations that a slot has left may keep in memory, in MiB. llama.cpp's own limit of 8192
#: is more than a laptop has for two workers; a few conversations that take turns need some 50 each.
_KEPT_MIB = 512


def main() -> None:
    import xllamacpp

    path, name, context, slots, threads, folder = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = int(context) * int(slots)  # llama.cpp divides it by the slots
    params.n_parallel = int(slots)
    params.cpuparams.n_threads = int(threads)
    params.cpuparams_batch.n_threads = int(threads)
    if sys.platform != "darwin":  # on processors flash attention takes one and a half times as long
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
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads what llama.cpp says now
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)  # whoever started it may have been killed


if __name__ == "__main__":
    main()
