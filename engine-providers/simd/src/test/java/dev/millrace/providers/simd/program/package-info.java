/** Tests of programs and their runs. */
@NullMarked
package dev.millrace.providers.simd.program;

import org.jspecify.annotations.NullMarked;
