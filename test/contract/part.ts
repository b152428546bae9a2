import type { ApiUnderTest } from './api-under-test.ts';
import type { Speaker } from './speaker.ts';

/** What the cases of a part speak to; both only while a test runs. */
export interface Subject {
  readonly api: Speaker;
  readonly server: ApiUnderTest;
}

/** One chapter of the contract. */
export interface Part {
  /** Begins the sentences of its tests. */
  readonly title: string;
  /** Name of its file in `answers/`. */
  readonly file: string;
  /** Defines the tests. */
  readonly cases: (subject: Subject) => void;
}
