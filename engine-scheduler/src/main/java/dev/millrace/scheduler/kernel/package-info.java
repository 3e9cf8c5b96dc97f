/** What an operator becomes: kernels, bound to shapes once, launched many times. */
@NullMarked
package dev.millrace.scheduler.kernel;

import org.jspecify.annotations.NullMarked;
