import { type FileHandle, open } from 'node:fs/promises';
import { describeFileError } from './command-errors.ts';
import type { ImportSource, Skip } from './import-source.ts';

/** How many record numbers the summary lists for each code. */
const maxListedRecords = 10;

/** How many codes are counted by themselves. A file can have any number of names of members that are not carried over. */
const maxCodes = 100;

// Not an error: an import that is repeated finds the users of the first one.
const alreadyStored = 'user_exists';

/** How users who exist are counted if the file has an id for them that they do not have. */
const withoutThisId = `${alreadyStored} without this id`;

const isStored = (counted: string): boolean => counted === alreadyStored || counted === withoutThisId;

/** What to do about records that are not imported, where it is not to change them. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['invalid_csv', 'import the JSON form of the export, too'],
  ['conflicting_records', 'the files that were joined differ; see --report'],
  ['damaged_record', 'repair or delete the records of the database that --report names'],
]);

/** Counts records by a code, in bounded memory. */
export class RecordCounts {
  private readonly counts = new Map<string, { count: number; readonly first: number[] }>();

  constructor(private readonly unit: ImportSource['unit']) {}

  /** Beyond the limit of codes, `group.name` is counted as `group`. */
  add(code: string, number: number): void {
    const isCounted = this.counts.has(code) || this.counts.size < maxCodes;
    const counted = isCounted ? code : code.replace(/\..*/, '');
    const records = this.counts.get(counted) ?? { count: 0, first: [] };
    this.counts.set(counted, records);
    records.count++;
    if (records.first.length < maxListedRecords) records.first.push(number);
  }

  get codes(): readonly string[] {
    return [...this.counts.keys()];
  }

  /** One text for each code, with the count, the first numbers, and what to do about it. */
  lines(): readonly string[] {
    return [...this.counts].map(([code, { count, first }]) => {
      const ellipsis = count > first.length ? ', …' : '';
      const advice = remedies.has(code) ? `: ${remedies.get(code)}` : '';
      return `${code}: ${count} (${this.unit}${count === 1 ? '' : 's'} ${first.join(', ')}${ellipsis})${advice}`;
    });
  }
}

/** What users notice at their next sign-in, or in their own data. All else is the same for most users of a system. */
const needsAttention: ReadonlySet<string> = new Set([
  ...['password', 'linked_accounts', 'second_factors', 'pending_actions', 'outstanding_tokens'],
  ...['reserved_names', 'unreadable_metadata', 'id'],
]);

/** A user who is imported without what `leftOut` names. */
interface Imported {
  readonly address: string;
  readonly leftOut: readonly string[];
}

/** The result of one record. */
export type RecordResult = Skip | Imported;

/** Counts the records of an import, and writes those that need attention to a report if one is wanted. */
export class ImportSummary {
  imported = 0;
  private readonly skipped: RecordCounts;
  private readonly leftOut: RecordCounts;

  private constructor(
    private readonly unit: ImportSource['unit'],
    private readonly report: FileHandle | undefined,
    private readonly reportPath: string | undefined,
  ) {
    this.skipped = new RecordCounts(unit);
    this.leftOut = new RecordCounts(unit);
  }

  /** Creates the report as a new file that only its owner can read. Rejects with the error of the file system. */
  static async create(unit: ImportSource['unit'], reportPath: string | undefined): Promise<ImportSummary> {
    const report = reportPath === undefined ? undefined : await open(reportPath, 'ax', 0o600);
    return new ImportSummary(unit, report, reportPath);
  }

  async add(number: number, result: RecordResult): Promise<void> {
    const { address } = result;
    if ('code' in result) {
      const { code, errors } = result;
      const exists = code === alreadyStored;
      this.skipped.add(exists && errors !== undefined ? withoutThisId : code, number);
      await this.write({
        [this.unit]: number,
        address,
        result: exists ? 'exists' : 'failed',
        code,
        errors,
      });
      return;
    }
    const { leftOut } = result;
    this.imported++;
    for (const name of leftOut) this.leftOut.add(name, number);
    if (leftOut.some((name) => needsAttention.has(name)))
      await this.write({ [this.unit]: number, address, result: 'imported', leftOut });
  }

  /** Whether a record was skipped because of an error. */
  get hasErrors(): boolean {
    return this.skipped.codes.some((code) => !isStored(code));
  }

  /** The summary as text: the number of imported users, then a line for each code and for what is not carried over. */
  lines(dryRun: boolean): readonly string[] {
    return [
      `ok    ${dryRun ? 'would be imported' : 'imported'}: ${this.imported}`,
      ...this.skipped.lines().map((line) => `${isStored(line.split(':', 1).join()) ? 'skip' : 'FAIL'}  ${line}`),
      ...this.leftOut.lines().map((line) => `warn  not carried over: ${line}`),
    ];
  }

  async close(): Promise<void> {
    await this.report?.close();
  }

  private async write(entry: object): Promise<void> {
    await this.report?.appendFile(`${JSON.stringify(entry)}\n`).catch((error: unknown) => {
      throw describeFileError(error, this.reportPath);
    });
  }
}
