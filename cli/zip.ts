import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. Its name is in ASCII. */
export interface ZippedFile {
  name: string;
  bytes: Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0 of the format: deflated files, no folders. */
const NEEDED = 20;
const DEFLATED = 8;
/** The first of January 1980, midnight: equal files give equal archives. */
const DATE = 0x21;

/** Packs files into a zip archive (PKWARE APPNOTE 6.3), without the parts that large or old archives need. */
export function zip(files: readonly ZippedFile[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes);
    const about = fields(
      [2, NEEDED],
      [2, 0],
      [2, DEFLATED],
      [2, 0],
      [2, DATE],
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([fields([4, LOCAL]), about, Buffer.from(name), packed]);
    centrals.push(
      fields([4, CENTRAL], [2, NEEDED]),
      about,
      fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      Buffer.from(name),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const count = files.length;
  const end = fields([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, central.length], [4, offset], [2, 0]);
  return Buffer.concat([...locals, central, end]);
}

/** Numbers, each in so many bytes, the lowest first. */
function fields(...numbers: readonly [bytes: 2 | 4, value: number][]): Buffer {
  const parts = numbers.map(([bytes, value]) => {
    const part = Buffer.alloc(bytes);
    part.writeUIntLE(value, 0, bytes);
    return part;
  });
  return Buffer.concat(parts);
}
