/** Tests of matrix products. */
@NullMarked
package dev.millrace.providers.cpu.reduce;

import org.jspecify.annotations.NullMarked;
