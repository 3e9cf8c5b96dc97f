/** Bindings: the steps of a plan for one tuple of shapes, with a place for every value. Knows no run. */
@NullMarked
package dev.millrace.scheduler.bind;

import org.jspecify.annotations.NullMarked;
