/// Many clients of many sessions at once, and what streams and batches cost and give.
@NullMarked
package dev.millrace.bench.serve;

import org.jspecify.annotations.NullMarked;
