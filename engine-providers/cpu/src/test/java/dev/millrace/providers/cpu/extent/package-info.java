/** Tests of the limits of array lengths. */
@NullMarked
package dev.millrace.providers.cpu.extent;

import org.jspecify.annotations.NullMarked;
