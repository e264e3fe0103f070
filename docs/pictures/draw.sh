#!/usr/bin/env sh
# Draws the pictures of README again: what an episode prints now, its report (with Chromium), and a
# film of a kitchen in contact physics (a few minutes).
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

peephole run --suite kitchen_physics --planner explore --out build/picture/kitchen --tasks fetch/10000
peephole film build/picture/kitchen 1 --out build/picture/kitchen.mp4
python - <<'KITCHEN'
import imageio_ffmpeg
from PIL import Image

#: Seconds of the film whose frames make the picture: it looks into a place, closes one, takes, puts.
SECONDS = (16.3, 26.0, 65.0, 69.5)
#: The animation shows one frame of so many, so many ms each.
EVERY, SHOWN_MS = 4, 120

frames = imageio_ffmpeg.read_frames("build/picture/kitchen.mp4")
film = next(frames)
film_size = film["size"]
pictures = [Image.frombytes("RGB", film_size, each) for each in frames]
width, height = film_size[0] * 5 // 8, film_size[1] * 5 // 8
strip = Image.new("RGB", (2 * width + 8, 2 * height + 8), "#d2ccc2")
for number, second in enumerate(SECONDS):
    picture = pictures[round(second * film["fps"])].resize((width, height), Image.Resampling.LANCZOS)
    strip.paste(picture, (number % 2 * (width + 8), number // 2 * (height + 8)))
strip.save("docs/pictures/kitchen_at_work.png", optimize=True)
half = film_size[0] // 2, film_size[1] // 2
small = [each.resize(half, Image.Resampling.LANCZOS) for each in pictures[::EVERY]]
small[0].save("docs/pictures/kitchen_film.webp", save_all=True, append_images=small[1:],
    duration=SHOWN_MS, loop=0, quality=30, method=4)
KITCHEN
