/** Tests of the moving kernels. */
@NullMarked
package dev.millrace.providers.cpu.move;

import org.jspecify.annotations.NullMarked;
