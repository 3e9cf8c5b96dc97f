/** Tests of attention. */
@NullMarked
package dev.millrace.providers.cpu.attention;

import org.jspecify.annotations.NullMarked;
