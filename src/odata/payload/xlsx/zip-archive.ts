import { constants, crc32, deflateRawSync } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import type { Pieces } from '../json/pieces.ts';

/** Text that is compressed at a time, in characters. */
const AT_ONCE = 65_536;

/** Files that are compressed while they are written, one behind the other: no more of them is held than that. */
export class ZipArchive {
  readonly #zip: Zip;

  constructor(pieces: Pieces) {
    this.#zip = new Zip((error, bytes) => {
      if (error !== null) throw error;
      pieces.addBytes(bytes);
    });
  }

  /** A file, which has to be ended before the next one begins. */
  file(name: string): ArchiveFile {
    const file = new ArchiveFile(name);
    this.#zip.add(file);
    return file;
  }

  end(): void {
    this.#zip.end();
  }
}

/** The same content is the same bytes, whenever it is written. */
const NO_TIME = new Date(1980, 0, 1);

/** fflate writes the archive; Node's own compression is several times as fast as one in JavaScript. */
class ArchiveFile implements ZipInputFile {
  readonly filename: string;
  readonly mtime = NO_TIME;
  /** Deflate (APPNOTE, 4.4.5). */
  readonly compression = 8;
  crc = 0;
  size = 0;
  ondata: NonNullable<ZipInputFile['ondata']> = () => undefined;
  #text = '';

  constructor(filename: string) {
    this.filename = filename;
  }

  /** Whether something was compressed, which takes a while. */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < AT_ONCE) return false;
    this.#compress(false);
    return true;
  }

  end(): void {
    this.#compress(true);
  }

  #compress(isLast: boolean): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
    // What ends at a byte, and not the stream, can be followed by what was compressed by itself.
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, deflateRawSync(bytes, { finishFlush }), isLast);
  }
}
