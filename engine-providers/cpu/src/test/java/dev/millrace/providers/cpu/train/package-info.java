/** Tests of the training kernels. */
@NullMarked
package dev.millrace.providers.cpu.train;

import org.jspecify.annotations.NullMarked;
