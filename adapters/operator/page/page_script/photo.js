// A photo: made smaller here, so that it travels fast, and kept by the server for the answer.

import { sendPhoto, session } from "./talk.js";

const LONGEST = 1600;

async function smaller(file) {
  try {
    const image = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = Math.min(1, LONGEST / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(image.width * scale));
    canvas.height = Math.max(1, Math.round(image.height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.88));
    return blob ?? file;
  } catch {
    return file; // the server says what is wrong with it
  }
}

// Send a photo. Returns what the draft keeps of it. Throws a Problem.
export async function upload(number, file) {
  const blob = await smaller(file);
  const { photo } = await sendPhoto(number, blob);
  return { name: photo, session: session(), url: URL.createObjectURL(blob) };
}

// The photo of a draft, if the server of this session has it.
export const kept = (photo) => (photo?.session === session() ? photo : null);
