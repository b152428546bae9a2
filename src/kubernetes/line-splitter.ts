const NEWLINE = 0x0a;

/** A line may not grow without end: an object is at most some megabytes. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Cuts chunks of bytes into lines. Works on bytes, since a chunk may end within a character; what is left at
 * the end of the stream is half an event and is dropped.
 */
export function createLineSplitter(): (chunk: Buffer) => string[] {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  return (chunk) => {
    const lines: string[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const part = chunk.subarray(begin, end);
      const line = keptBytes === 0 ? part : Buffer.concat([...kept, part]);
      if (line.length > 0) lines.push(line.toString('utf8'));
      kept = [];
      keptBytes = 0;
      begin = end + 1;
    }
    if (begin < chunk.length) {
      kept.push(chunk.subarray(begin));
      keptBytes += chunk.length - begin;
      if (keptBytes > MAX_LINE_BYTES) throw new RangeError('A line of a watch is larger than 64 MiB');
    }
    return lines;
  };
}
