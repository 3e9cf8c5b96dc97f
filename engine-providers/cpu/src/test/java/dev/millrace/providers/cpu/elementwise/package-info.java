/** Tests of the elementwise kernels. */
@NullMarked
package dev.millrace.providers.cpu.elementwise;

import org.jspecify.annotations.NullMarked;
