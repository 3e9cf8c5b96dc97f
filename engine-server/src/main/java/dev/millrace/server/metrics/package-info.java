/** Metrics in the text form of Prometheus. */
@NullMarked
package dev.millrace.server.metrics;

import org.jspecify.annotations.NullMarked;
