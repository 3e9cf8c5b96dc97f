/// Fast kernels: machine code that this module emits, with an interpreter behind it. {@link
/// dev.millrace.kernels.Kernels} is
/// where to begin.
@NullMarked
package dev.millrace.kernels;

import org.jspecify.annotations.NullMarked;
