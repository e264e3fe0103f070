#!/usr/bin/env sh
# Draws the pictures of README again: what an episode prints now, and its report (with Chromium).
#
#     make picture
set -eu
PATH="$PWD/.venv/bin:$PATH"
rm -rf build/picture
peephole run --suite robothow --planner explore --tasks put_groceries_in_fridge/1004_2 --out build/picture
COLUMNS=112 peephole show build/picture 1 --svg docs/pictures/explore.svg > build/picture/shown.txt
peephole report build/picture --out build/picture/report.html
chromium --headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars \
    --window-size=1200,2000 --virtual-time-budget=5000 --screenshot=build/picture/report.png \
    "file://$PWD/build/picture/report.html#run1/1/3"
python - <<'CROP'
from PIL import Image

shot = Image.open("build/picture/report.png").convert("RGB").crop((0, 150, 1200, 1010))
shot.quantize(64).save("docs/pictures/report.png", optimize=True)
CROP
