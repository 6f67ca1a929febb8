import { BoundedMap } from '../../domain/boundedMap.ts';

/** `make`, whose newest results are kept: nobody may change them. @param isKept for keys that are too large to keep. */
export function remembered<K, T>(
  howMany: number,
  make: (key: K) => T,
  isKept: (key: K) => boolean = () => true,
): (key: K) => T {
  const kept = new BoundedMap<K, T>(howMany);
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (isKept(key)) kept.set(key, made);
    return made;
  };
}

const TEXTS = 200;
const TEXT_LENGTH_CHARS = 4_000;

/** What is made of a text, kept for the newest short ones: commands answer with the same few again and again. */
export function rememberedText<T>(make: (text: string) => T): (text: string) => T {
  return remembered(TEXTS, make, ({ length }) => length <= TEXT_LENGTH_CHARS);
}

/** As `rememberedText`, of a text that has to fit within a limit; apps have few of those. */
export function rememberedWithin<T>(make: (text: string, limit: number) => T): (text: string, limit: number) => T {
  const within = remembered(10, (limit: number) => rememberedText((text) => make(text, limit)));
  return (text, limit) => within(limit)(text);
}
