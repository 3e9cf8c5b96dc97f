/** Tests of matrix products. */
@NullMarked
package dev.millrace.providers.cpu.elementwise;

import org.jspecify.annotations.NullMarked;
