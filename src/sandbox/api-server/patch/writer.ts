/** Who changes an object, as its `managedFields` name it. */
export interface Writer {
  /** `fieldManager` of the request, or what stands before the first slash of its user agent. */
  readonly manager: string;
  /** Of the request's path: `v1`, `cert-manager.io/v1`. */
  readonly apiVersion: string;
  /** `status` where the request's path ends in it. */
  readonly subresource?: string;
  /** RFC 3339 with whole seconds: `2026-01-31T12:00:00Z`. */
  readonly time: string;
}
