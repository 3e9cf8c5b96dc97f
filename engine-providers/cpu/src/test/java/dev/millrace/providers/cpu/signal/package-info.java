/** Tests of the signal kernels. */
@NullMarked
package dev.millrace.providers.cpu.signal;

import org.jspecify.annotations.NullMarked;
