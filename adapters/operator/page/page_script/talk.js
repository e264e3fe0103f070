// Requests to the server of the page, and what the page remembers of it.

const KEY = "peephole-operator-key";

// A request that was refused. status: of HTTP, 0 without an answer.
export class Problem extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

const LOST = "The run cannot be reached. Check the connection; nothing that was saved is lost.";

async function request(path, { method = "GET", body, type, seconds = 20 } = {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), seconds * 1000);
  try {
    const headers = { Authorization: `Bearer ${localStorage.getItem(KEY) ?? ""}` };
    if (type) headers["Content-Type"] = type;
    const response = await fetch(path, { method, body, headers, signal: abort.signal, cache: "no-store" });
    const data = await response.json();
    if (!response.ok) throw new Problem(response.status, data.problem);
    return data;
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(0, LOST);
  } finally {
    clearTimeout(timer);
  }
}

const post = (path, data) =>
  request(path, { method: "POST", body: JSON.stringify(data), type: "application/json" });

// Exchange the token of the link for a key. The token leaves the address and the history.
export async function openLink() {
  const token = location.hash.slice(1);
  if (!token) return;
  const { key } = await post("/open", { token });
  localStorage.setItem(KEY, key);
  history.replaceState(null, "", "/");
}

export const session = () => (localStorage.getItem(KEY) ?? "").slice(0, 8);

export const state = (known) => request(`/state?known=${known}`, { seconds: 40 });

export const sendAnswer = (number, answer) => post("/answer", { number, answer });

export const leave = () => post("/leave", {});

export const readAgain = (number, photo) => post("/read", { number, photo });

export const sendPhoto = (number, blob) =>
  request(`/photo?number=${number}`, { method: "POST", body: blob, type: blob.type, seconds: 60 });
