/** Tests of the kernels that move elements. */
@NullMarked
package dev.millrace.providers.cpu.move;

import org.jspecify.annotations.NullMarked;
