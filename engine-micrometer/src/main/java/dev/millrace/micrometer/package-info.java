/** Micrometer meters of an engine and its requests, and observations of requests. */
@NullMarked
package dev.millrace.micrometer;

import org.jspecify.annotations.NullMarked;
