/** Tests of operators of {@code com.microsoft}. */
@NullMarked
package dev.millrace.providers.cpu.contrib;

import org.jspecify.annotations.NullMarked;
