/** Tests of the random kernels. */
@NullMarked
package dev.millrace.providers.cpu.random;

import org.jspecify.annotations.NullMarked;
