/** What the daemon knows of a document's pages and places. By REST on both transports: agents' tools offer none of it. */

import type {
  MergedTableCell,
  MergedTableCells,
  OutlinePlace,
  PageContent,
  PageText,
  SheetRowPlace,
  SheetRows,
  SlidePlaces,
} from "../api/types";
import type { RestTransport } from "./restTransport";

export class DocumentPages {
  constructor(private readonly rest: RestTransport) {}

  /** The words of a PDF's page with their places. Pages count from 1. */
  text(id: string, page: number, signal?: AbortSignal): Promise<PageText> {
    return this.rest.json("GET", `${route(id)}/pages/${page}/text`, { tokenScope: "all", signal });
  }

  /** The text of every page. */
  texts(id: string, signal?: AbortSignal): Promise<PageContent[]> {
    return this.rest.all(`${route(id)}/pages`, { tokenScope: "all", signal });
  }

  outline(id: string, signal?: AbortSignal): Promise<OutlinePlace[]> {
    return this.rest.all(`${route(id)}/outline`, { tokenScope: "all", signal });
  }

  /** The merged cells of tables between two characters of the content, counted in code points. */
  async merged(id: string, start: number, end: number, signal?: AbortSignal): Promise<MergedTableCell[]> {
    const options = { query: { start, end }, tokenScope: "all", signal } as const;
    return (await this.rest.json<MergedTableCells>("GET", `${route(id)}/merged-cells`, options)).items;
  }

  /** Where the blocks of a presentation stand on its slides. */
  slides(id: string, signal?: AbortSignal): Promise<SlidePlaces[]> {
    return this.rest.all(`${route(id)}/slides`, { tokenScope: "all", signal });
  }

  /** The rows of a workbook's sheets between two characters of the content, counted in code points. */
  async rows(id: string, start: number, end: number, signal?: AbortSignal): Promise<SheetRowPlace[]> {
    const options = { query: { start, end }, tokenScope: "all", signal } as const;
    return (await this.rest.json<SheetRows>("GET", `${route(id)}/rows`, options)).items;
  }
}

function route(id: string): string {
  return `/api/documents/${encodeURIComponent(id)}`;
}
