/** Tests of the cpu kernels. */
@NullMarked
package dev.millrace.providers.cpu;

import org.jspecify.annotations.NullMarked;
