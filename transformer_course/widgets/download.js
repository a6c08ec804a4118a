// @ts-check
// A file that the page asks for, held to what was promised of it.
import { count } from "./numbers.js";

/** @typedef {{name: string, bytes: number, crc32: number}} File  what the page expects of a file */

/** The checksum that zlib and gzip use. It needs no secure context, as the browser's SHA-256 does.
 * @param {Uint8Array} bytes */
export function crc32(bytes) {
  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    let x = n;
    for (let bit = 0; bit < 8; bit += 1) x = x & 1 ? (x >>> 1) ^ 0xedb88320 : x >>> 1;
    return x;
  });
  let sum = -1;
  for (let n = 0; n < bytes.length; n += 1) sum = table[(sum ^ bytes[n]) & 255] ^ (sum >>> 8);
  return (sum ^ -1) >>> 0;
}

/** Hand the bytes back if they are what was promised, and say what is wrong if not.
 * @param {Uint8Array} bytes @param {File} file */
export function checked(bytes, { name, bytes: size, crc32: sum }) {
  if (bytes.length < size)
    throw new Error(
      `${name} broke off after ${count(bytes.length)} of ${count(size)} bytes. Try again.`,
    );
  if (bytes.length > size)
    throw new Error(
      `${name} has ${count(bytes.length)} bytes or more, expected ${count(size)}: it is ` +
        "another file than this page was made for. Reload the page.",
    );
  const found = crc32(bytes);
  if (found !== sum)
    throw new Error(
      `${name} came damaged: its checksum is ${found.toString(16)}, expected ` +
        `${sum.toString(16)}. Try again.`,
    );
  return bytes;
}

/** Fetch one file and tell how much of it has come.
 * @param {string} address @param {File} file @param {(bytes: number) => void} progress */
export async function download(address, file, progress) {
  if (address.startsWith("file:"))
    throw new Error(
      "A page opened as a file may not read the model beside it. Open the site through a server: " +
        "make serve.",
    );
  const bytes = new Uint8Array(file.bytes + 1); // one more, to notice a file that is too long
  let length = 0;
  try {
    const response = await fetch(address, { cache: "no-cache" });
    if (!response.ok)
      throw new Error(
        `The server has no ${file.name}: it answered ${response.status} ${response.statusText}. ` +
          "Build the site again: make book.",
      );
    const reader = /** @type {any} */ (response.body).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, bytes.length - length);
      bytes.set(part, length);
      length += part.length;
      progress(length);
      if (length === bytes.length) break;
    }
  } catch (error) {
    // fetch and its stream throw a TypeError when the connection fails
    if (!(error instanceof TypeError)) throw error;
    if (!length)
      throw new Error(
        `No answer from the server for ${file.name}. Check the connection, then try again.`,
      );
  }
  return checked(bytes.subarray(0, length), file);
}
