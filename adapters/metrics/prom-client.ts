// Everything that is used of prom-client, in one place: the build puts it into this file's compiled form. Installed as
// packages, with the trees and the tracing that it brings, it would take 4 MB.
import promClient from 'prom-client';

export const { AggregatorRegistry, collectDefaultMetrics, register } = promClient;
