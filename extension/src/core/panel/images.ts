/** Pictures of documents, kept a while: scrolling back must not load them again. */

import type { ClientProvider } from "../client/reachable";

type Variant = "thumb" | "raw";

const MOST_BYTES = 32 * 1024 * 1024;

export class Images {
  private readonly kept = new Map<string, Uint8Array>();
  private readonly loading = new Map<string, Promise<Uint8Array>>();
  private bytes = 0;

  constructor(
    private readonly daemon: ClientProvider,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  load(assetId: string, variant: Variant): Promise<Uint8Array> {
    const key = `${variant} ${assetId}`;
    const kept = this.kept.get(key);
    if (kept) {
      // Used last: it goes last.
      this.kept.delete(key);
      this.kept.set(key, kept);
      return Promise.resolve(kept);
    }
    const loading = this.loading.get(key) ?? this.fetch(assetId, variant, key).finally(() => this.loading.delete(key));
    this.loading.set(key, loading);
    return loading;
  }

  private async fetch(assetId: string, variant: Variant, key: string): Promise<Uint8Array> {
    const image = await (await this.daemon.client()).asset(assetId, variant);
    this.kept.set(key, image);
    this.bytes += image.byteLength;
    for (const [oldest, { byteLength }] of this.kept) {
      if (this.bytes <= this.mostBytes) break;
      this.kept.delete(oldest);
      this.bytes -= byteLength;
    }
    return image;
  }
}
