/** Meters of an engine's requests. */
@NullMarked
package dev.millrace.micrometer;

import org.jspecify.annotations.NullMarked;
