/** The times of requests: what each of the recent ones waited for. */
@NullMarked
package dev.millrace.server.timeline;

import org.jspecify.annotations.NullMarked;
