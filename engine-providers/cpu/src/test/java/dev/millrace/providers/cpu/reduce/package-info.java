/** Tests of reductions and scans. */
@NullMarked
package dev.millrace.providers.cpu.reduce;

import org.jspecify.annotations.NullMarked;
