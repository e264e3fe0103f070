// An episode's data: packed in this page, or in a script beside it, unpacked when it is opened.

const index = JSON.parse(byId("index").textContent);
const arriving = new Map();

window.peepholeEpisode = (key, text) => arriving.get(key)?.(text);

async function unpacked(text) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser cannot unpack episodes; open the page in a newer one.");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function packedText(key) {
  const own = byId(`data-${key}`);
  if (own) return Promise.resolve(own.textContent);
  return new Promise((resolve, reject) => {
    const source = `${index.folder}/${key.replace("/", "-")}.js`;
    arriving.set(key, resolve);
    const missing = () => reject(new Error(`${source} is missing; keep it beside this page.`));
    document.head.append(h("script", { src: source, onerror: missing }));
  });
}

const episodeData = async (key) => unpacked(await packedText(key));
