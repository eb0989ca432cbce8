import type { Json } from "@steading/kernel";

/** One property in a `browse` or `search` answer: a kind of its own for each shape, so that container names are kept. */
export type BrowsedProperty =
  | (BrowsedValue & { readonly [field: string]: Json | undefined })
  | { readonly kind: "object"; readonly child: BrowseNode }
  | { readonly kind: "collection"; readonly children: readonly BrowseNode[] }
  | { readonly kind: "dictionary"; readonly children: Readonly<Record<string, BrowseNode>> }
  | CollapsedProperty;

export interface BrowsedValue {
  readonly kind: "value";
  readonly value: Json;
  readonly type: string;
  readonly isWritable: boolean;
  readonly unit?: string;
  readonly quality?: string;
  readonly attributes?: Readonly<Record<string, Json>>;
}

/** At the depth boundary: how many there are, and of what if they are all alike. */
export interface CollapsedProperty {
  readonly kind: "object" | "collection" | "dictionary";
  readonly isCollapsed: true;
  readonly count: number;
  readonly itemType?: string;
}

export interface BrowseNode {
  readonly $path: string;
  readonly $type: string;
  readonly methods?: readonly string[];
  readonly interfaces?: readonly string[];
  readonly properties?: Readonly<Record<string, BrowsedProperty>>;
  /** `$title`, `$icon` and whatever else metadata providers say; `$ref` where the subject is shown elsewhere. */
  readonly [field: `$${string}`]: Json;
}
