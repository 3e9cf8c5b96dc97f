/** Calls of native functions, and the machine code of the fault handler. */
@NullMarked
package dev.millrace.memory.call;

import org.jspecify.annotations.NullMarked;
