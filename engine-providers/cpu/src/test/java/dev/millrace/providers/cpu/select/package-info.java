/** Tests of the kernels of operators that choose elements by their values. */
@NullMarked
package dev.millrace.providers.cpu.select;

import org.jspecify.annotations.NullMarked;
