/** Code that is emitted and freed while other threads run it. */
@NullMarked
package dev.millrace.kernels.stress;

import org.jspecify.annotations.NullMarked;
