/** The kernel interfaces: a kernel is bound to shapes once, and the resulting launch runs many times. */
@NullMarked
package dev.millrace.scheduler.kernel;

import org.jspecify.annotations.NullMarked;
