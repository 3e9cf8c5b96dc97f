/// Benchmarks of serving: many clients of many sessions at once, and the costs and gains of streams and batches.
@NullMarked
package dev.millrace.bench.serve;

import org.jspecify.annotations.NullMarked;
