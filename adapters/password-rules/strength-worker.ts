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
}

export interface StrengthResponse {
  readonly id: number;
  readonly score: number;
}

/** By default 100, with which a password of 64 characters takes ten times as long (0.7 s) and rarely another score. */
const l33tMaxSubstitutions = 10;

const estimator = new ZxcvbnFactory({
  dictionary: { ...commonWords, ...englishWords },
  graphs: adjacencyGraphs,
  l33tMaxSubstitutions,
});

parentPort?.on('message', ({ id, password, related }: StrengthRequest) => {
  const { score } = estimator.check(password, [...related]);
  parentPort?.postMessage({ id, score } satisfies StrengthResponse);
});
