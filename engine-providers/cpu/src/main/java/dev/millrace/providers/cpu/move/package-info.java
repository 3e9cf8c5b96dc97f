/** Operators that move elements without computing on them: views, copies, gathers, scatters and fills. */
@NullMarked
package dev.millrace.providers.cpu.move;

import org.jspecify.annotations.NullMarked;
