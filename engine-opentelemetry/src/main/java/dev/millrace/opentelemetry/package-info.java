/** Traces of the model server by OpenTelemetry's protocol. */
@NullMarked
package dev.millrace.opentelemetry;

import org.jspecify.annotations.NullMarked;
