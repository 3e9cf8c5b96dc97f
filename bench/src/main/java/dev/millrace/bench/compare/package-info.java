/** Tools for comparing two engines: paired measurements, comparison of answers, fresh processes, memory. */
@NullMarked
package dev.millrace.bench.compare;

import org.jspecify.annotations.NullMarked;
