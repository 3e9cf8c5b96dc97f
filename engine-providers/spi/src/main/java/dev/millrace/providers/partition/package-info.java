/** Shares a graph out among providers. */
@NullMarked
package dev.millrace.providers.partition;

import org.jspecify.annotations.NullMarked;
