// The thread that rates passwords. It is started by strength-estimator.ts.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as commonWords } from '@zxcvbn-ts/language-common';
import { dictionary as englishWords } from '@zxcvbn-ts/language-en';

/** A password to rate, and texts that an attacker knows of its user. */
export interface StrengthRequest {
  readonly id: number;
  readonly password: string;
  readonly related: readonly string[];
  /** When the password began to wait, by `process.hrtime`, which is the same in all threads. */
  readonly sentNs: bigint;
  /** A password that has waited longer is not rated. */
  readonly maxWaitMs: number;
}

export interface StrengthResponse {
  readonly id: number;
  /** Null if the password waited too long. */
  readonly score: number | null;
}

/** By default 100, with which a password of 64 characters takes ten times as long (0.7 s) and rarely another score. */
const l33tMaxSubstitutions = 10;

const estimator = new ZxcvbnFactory({
  dictionary: { ...commonWords, ...englishWords },
  graphs: adjacencyGraphs,
  l33tMaxSubstitutions,
});

/** When the thread was ready. Its start can take seconds on a slow machine and does not count as waiting. */
const readyNs = process.hrtime.bigint();

parentPort?.on('message', ({ id, password, related, sentNs, maxWaitMs }: StrengthRequest) => {
  const waitedNs = process.hrtime.bigint() - (sentNs > readyNs ? sentNs : readyNs);
  const isLate = Number(waitedNs) / 1e6 > maxWaitMs;
  const score = isLate ? null : estimator.check(password, [...related]).score;
  parentPort?.postMessage({ id, score } satisfies StrengthResponse);
});
